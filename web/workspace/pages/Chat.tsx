import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQuery } from '@tanstack/react-query'
import { post, remove } from '../../shared/api.ts'
import { IconPlus } from '../../shared/icons.tsx'
import { EmptyState, Page, Panel, RowsSkeleton, Trouble } from '../../shared/Page.tsx'
import { When } from '../../shared/When.tsx'
import { EventSwitches } from '../EventSwitches.tsx'
import { againChats, type Chat as ChatItem, chatsQuery, sessionQuery } from '../queries.ts'
import { LinkChat } from './LinkChat.tsx'
import { SandboxChat } from './SandboxChat.tsx'

/** Chats that get notifications of the account. */
export function Chat() {
  const { data, error, refetch } = useQuery(chatsQuery)
  const { data: session } = useQuery(sessionQuery)
  const [opened, form] = useDisclosure(false)
  const button = (
    <Button leftSection={<IconPlus size={16} />} onClick={form.open}>
      Link a chat
    </Button>
  )
  const none = data?.chats.length === 0
  return (
    <Page title="Chat" action={data && !none ? button : undefined}>
      {error && <Trouble error={error} retry={refetch} />}
      {!data ? (
        <RowsSkeleton />
      ) : data.apps.length === 0 ? (
        <EmptyState title="No messaging app is connected">
          This service has no bot. Webhooks send the same events to your own server.
        </EmptyState>
      ) : none ? (
        <EmptyState title="Notifications on your phone" action={button}>
          A chat in Telegram tells you when an order is delivered, a deposit arrives or your balance
          runs low. A group works too.
        </EmptyState>
      ) : (
        data.chats.map((chat) => <Card key={chat.id} chat={chat} />)
      )}
      {session?.sandbox && data && <SandboxChat account={session.account_id} />}
      <LinkChat opened={opened} close={form.close} />
    </Page>
  )
}

const APPS: Record<string, string> = { telegram: 'Telegram' }

function Card({ chat }: { chat: ChatItem }) {
  const path = `/chats/${chat.id}`
  const trial = useMutation({ mutationFn: () => post(`${path}/test`) })
  return (
    <Panel title={chat.name}>
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          {APPS[chat.app] ?? chat.app}, linked <When at={chat.created_at} />
        </Text>
        <Group gap="xs">
          <Button
            size="xs"
            variant="default"
            loading={trial.isPending}
            onClick={() => trial.mutate()}
          >
            Send a test
          </Button>
          <Unlink path={path} name={chat.name} />
          <span aria-live="polite" className="chip done">
            {trial.isSuccess && 'On its way. Look into the chat.'}
          </span>
        </Group>
        <Trouble error={trial.error} />
        <EventSwitches events={chat.events} path={path} again={againChats} />
      </Stack>
    </Panel>
  )
}

function Unlink({ path, name }: { path: string; name: string }) {
  const [opened, { open, close }] = useDisclosure(false)
  const unlink = useMutation({ mutationFn: () => remove(path), onSuccess: againChats })
  return (
    <>
      <Button size="xs" variant="subtle" color="red" onClick={open} aria-label={`Unlink ${name}`}>
        Unlink
      </Button>
      <Modal
        opened={opened}
        onClose={close}
        title={`Unlink ${name}?`}
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <Stack>
          <Text>This chat receives nothing more. You can link it again at any time.</Text>
          <Trouble error={unlink.error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Keep it
            </Button>
            <Button color="red" loading={unlink.isPending} onClick={() => unlink.mutate()}>
              Unlink
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  )
}
