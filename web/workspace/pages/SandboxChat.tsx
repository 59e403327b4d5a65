import { Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Panel } from '../../shared/Page.tsx'
import { When } from '../../shared/When.tsx'
import { sandboxChatQuery } from '../queries.ts'

/** Each account has its own chat; any number is a valid chat id. */
export const sandboxChatOf = (account: string) => String(Number.parseInt(account.slice(-8), 16))

/** Messages that the stand-in of Telegram received. */
export function SandboxChat({ account }: { account: string }) {
  const chat = sandboxChatOf(account)
  const { data } = useQuery(sandboxChatQuery(chat))
  const messages = data?.messages.slice(-8) ?? []
  return (
    <Panel title="The stand-in’s chat">
      <Stack gap="xs">
        <Text size="sm" c="dimmed">
          The sandbox sends nothing to Telegram. What our bot says to chat {chat} is here, and at{' '}
          <code>GET /sandbox/chat/{chat}</code>.
        </Text>
        <div role="log" aria-label="What our bot said" className="chat-log">
          {messages.length === 0 ? (
            <Text size="sm">Nothing yet.</Text>
          ) : (
            messages.map((message) => (
              <div key={message.sent_at + message.text} className="chat-line">
                {message.text}
                <span className="soft">
                  <When at={message.sent_at} />
                </span>
              </div>
            ))
          )}
        </div>
      </Stack>
    </Panel>
  )
}
