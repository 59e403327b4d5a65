import { Alert, Anchor, Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Address } from '../../shared/Address.tsx'
import { post, remove } from '../../shared/api.ts'
import { IconPlus } from '../../shared/icons.tsx'
import { EmptyState, Page, Panel, RowsSkeleton, Trouble } from '../../shared/Page.tsx'
import { When } from '../../shared/When.tsx'
import { keysQuery, queryClient, sessionQuery } from '../queries.ts'

const again = () => queryClient.invalidateQueries({ queryKey: keysQuery.queryKey })

export function Keys() {
  const { data, error, refetch } = useQuery(keysQuery)
  const { data: session } = useQuery(sessionQuery)
  const [opened, form] = useDisclosure(false)
  const button = (
    <Button leftSection={<IconPlus size={16} />} onClick={form.open}>
      New key
    </Button>
  )
  return (
    <Page title="API keys" action={data && data.keys.length > 0 ? button : undefined}>
      <Text c="dimmed" maw={640}>
        A key lets your program buy and read on this account. Send it as <code>X-API-Key</code>; the{' '}
        <a href="/docs">reference</a> shows how.
      </Text>
      {session && !session.totp_enabled && (
        <Text maw={640}>
          Anyone at this screen can create a key.{' '}
          <Anchor component={Link} to="/security" underline="always">
            Set up an authenticator app
          </Anchor>
          , and a code is asked for before keys and wallets change.
        </Text>
      )}
      {error && <Trouble error={error} retry={refetch} />}
      {!data ? (
        <RowsSkeleton rows={3} />
      ) : data.keys.length === 0 ? (
        <EmptyState title="No keys yet" action={button}>
          With a key your own program buys Energy, reads orders and the ledger, and needs nobody at
          this page.
        </EmptyState>
      ) : (
        <Panel>
          <div className="scroll">
            <table className="rows">
              <thead>
                <tr>
                  <th>Name</th>
                  <th>Ends in</th>
                  <th>Made</th>
                  <th>
                    <span className="hidden">Revoke</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {data.keys.map((key) => (
                  <tr key={key.id}>
                    <td>{key.name || <span className="soft">No name</span>}</td>
                    <td>
                      <code>…{key.last_four}</code>
                    </td>
                    <td>
                      <When at={key.created_at} />
                    </td>
                    <td className="right">
                      <Revoke id={key.id} name={key.name || `…${key.last_four}`} />
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </Panel>
      )}
      <NewKey opened={opened} close={form.close} />
    </Page>
  )
}

function NewKey({ opened, close }: { opened: boolean; close(): void }) {
  const [name, setName] = useState('')
  const make = useMutation({
    mutationFn: () => post<{ api_key: string }>('/keys', name ? { name } : {}),
    onSuccess: again,
  })
  const done = () => {
    make.reset()
    setName('')
    close()
  }
  return (
    <Modal
      opened={opened}
      onClose={done}
      title={make.data ? 'Your new key' : 'New key'}
      closeOnClickOutside={!make.data}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {make.data ? (
        <Stack>
          <Alert color="yellow" variant="light">
            Copy it now. It is shown this once, and we keep only its fingerprint.
          </Alert>
          <Address value={make.data.api_key} whole />
          <Button onClick={done}>I have copied it</Button>
        </Stack>
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault()
            make.mutate()
          }}
        >
          <Stack>
            <TextInput
              label="Name"
              description="What it is for"
              value={name}
              maxLength={60}
              onChange={(event) => setName(event.currentTarget.value)}
              data-autofocus
            />
            <Trouble error={make.error} />
            <Button type="submit" loading={make.isPending}>
              Create key
            </Button>
          </Stack>
        </form>
      )}
    </Modal>
  )
}

function Revoke({ id, name }: { id: string; name: string }) {
  const [opened, { open, close }] = useDisclosure(false)
  const revoke = useMutation({ mutationFn: () => remove(`/keys/${id}`), onSuccess: again })
  return (
    <>
      <Button size="xs" variant="subtle" color="red" onClick={open} aria-label={`Revoke ${name}`}>
        Revoke
      </Button>
      <Modal
        opened={opened}
        onClose={close}
        title={`Revoke ${name}?`}
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <Stack>
          <Text>Programs that use this key are refused within a second. It cannot be undone.</Text>
          <Trouble error={revoke.error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Keep it
            </Button>
            <Button color="red" loading={revoke.isPending} onClick={() => revoke.mutate()}>
              Revoke
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  )
}
