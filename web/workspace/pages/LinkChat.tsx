import type { postChatCode, Reply } from '@ergon/contract'
import { Button, Modal, Stack, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { Address } from '../../shared/Address.tsx'
import { post, request } from '../../shared/api.ts'
import { RowsSkeleton, Trouble } from '../../shared/Page.tsx'
import { useNow } from '../../shared/useNow.ts'
import { Countdown } from '../../shared/When.tsx'
import { againChats, type Chat, chatsQuery, queryClient, sessionQuery } from '../queries.ts'
import { sandboxChatOf } from './SandboxChat.tsx'

type Made = Reply<typeof postChatCode> & { before: string[] }

/** Creates a code to be sent in the chat; the chat then appears by itself. */
export function LinkChat({ opened, close }: { opened: boolean; close(): void }) {
  const { data } = useQuery(chatsQuery)
  const code = useMutation({
    mutationFn: async (): Promise<Made> => {
      const known = queryClient.getQueryData<{ chats: Chat[] }>(chatsQuery.queryKey)
      const made = await post<Reply<typeof postChatCode>>('/chats/code')
      return { ...made, before: known?.chats.map(({ id }) => id) ?? [] }
    },
  })
  const { mutate, reset } = code
  useEffect(() => {
    if (opened) mutate()
    else reset()
  }, [opened, mutate, reset])
  const made = code.data
  const linked = made && data?.chats.find(({ id }) => !made.before.includes(id))
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={linked ? 'Linked' : 'Link a chat'}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <div aria-live="polite">
        {linked ? (
          <Stack>
            <Text>{linked.name} now receives the news of your account.</Text>
            <Button onClick={close} data-autofocus>
              Choose what it receives
            </Button>
          </Stack>
        ) : made ? (
          <Steps made={made} again={() => mutate()} />
        ) : code.error ? (
          <Trouble error={code.error} retry={() => mutate()} />
        ) : (
          <RowsSkeleton rows={4} />
        )}
      </div>
    </Modal>
  )
}

function Steps({ made, again }: { made: Made; again(): void }) {
  const { data: session } = useQuery(sessionQuery)
  const over = Date.parse(made.expires_at) <= useNow(1_000)
  const [invitation] = made.invitations
  const command = invitation?.command ?? `/start ${made.code}`
  if (over) {
    return (
      <Stack>
        <Text>The code is over. Nobody used it.</Text>
        <Button onClick={again}>Make a new code</Button>
      </Stack>
    )
  }
  return (
    <Stack>
      <ol className="steps">
        <li>
          {session?.sandbox || !invitation?.url ? (
            'Open the chat with our bot in Telegram.'
          ) : (
            <a href={invitation.url} target="_blank" rel="noreferrer">
              Open our bot in Telegram
            </a>
          )}{' '}
          For a group, add the bot to it.
        </li>
        <li>
          Say this there, once:
          <div>
            <Address value={command} whole />
          </div>
        </li>
        <li>
          Wait a moment: the chat appears here by itself. The code works for{' '}
          <Countdown until={made.expires_at} />.
        </li>
      </ol>
      {session?.sandbox && <SayIt chat={sandboxChatOf(session.account_id)} command={command} />}
      <Text size="sm" c="dimmed">
        Keep the code secret: any chat that sends it gets your account's events.
      </Text>
    </Stack>
  )
}

/** The sandbox has a stand-in of Telegram, in which this sends a message as the client. */
function SayIt({ chat, command }: { chat: string; command: string }) {
  const say = useMutation({
    mutationFn: () => request('POST', `/sandbox/chat/${chat}`, { text: command, name: 'My phone' }),
    onSuccess: againChats,
  })
  return (
    <Stack gap="xs" className="hint">
      <Text size="sm">
        The sandbox has a stand-in for Telegram. Your program sends messages to it by{' '}
        <code>POST /sandbox/chat/{chat}</code>; this button does the same.
      </Text>
      <div>
        <Button size="xs" variant="default" loading={say.isPending} onClick={() => say.mutate()}>
          Say it in the stand-in
        </Button>
      </div>
      <Trouble error={say.error} />
    </Stack>
  )
}
