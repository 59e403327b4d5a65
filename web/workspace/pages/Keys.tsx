import {
  Alert,
  Anchor,
  Button,
  Group,
  Modal,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Address } from '../../shared/Address.tsx'
import { patch, post, remove } from '../../shared/api.ts'
import { IconPlus } from '../../shared/icons.tsx'
import { EmptyState, Page, Panel, RowsSkeleton, Trouble } from '../../shared/Page.tsx'
import { When } from '../../shared/When.tsx'
import { type ApiKey, keysQuery, queryClient, sessionQuery } from '../queries.ts'

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
        <a href="/docs">reference</a> shows how. What your programs were answered is listed under{' '}
        <Anchor component={Link} to="/requests" underline="always">
          API requests
        </Anchor>
        .
      </Text>
      {session && !session.totp_enabled && session.passkeys === 0 && (
        <Text maw={640}>
          Anyone at this screen can create a key.{' '}
          <Anchor component={Link} to="/security" underline="always">
            Set up an authenticator app or add a passkey
          </Anchor>
          , and it is asked for before keys and wallets change.
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
            <table className="rows stack">
              <thead>
                <tr>
                  <th>Name</th>
                  <th>Ends in</th>
                  <th>Created</th>
                  <th>Last used</th>
                  <th>
                    <span className="hidden">Actions</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {data.keys.map((key) => (
                  <tr key={key.id}>
                    <td className="wrap">
                      {key.name || <span className="soft">No name</span>}
                      {key.note && <div className="soft">{key.note}</div>}
                    </td>
                    <td data-label="Ends in">
                      <code>…{key.last_four}</code>
                    </td>
                    <td data-label="Created">
                      <When at={key.created_at} />
                    </td>
                    <td data-label="Last used">
                      {key.last_used_at ? <When at={key.last_used_at} /> : 'Never'}
                    </td>
                    <td className="right deed">
                      <Edit apiKey={key} />
                      <Revoke id={key.id} name={nameOf(key)} />
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

const nameOf = ({ name, last_four }: ApiKey) => name || `…${last_four}`

type Texts = { name: string; note: string }

function TextFields({ texts, set }: { texts: Texts; set(texts: Texts): void }) {
  return (
    <>
      <TextInput
        label="Name"
        description="What it is for"
        value={texts.name}
        maxLength={60}
        onChange={(event) => set({ ...texts, name: event.currentTarget.value })}
        data-autofocus
      />
      <Textarea
        label="Note"
        description="Anything else, such as where the key is kept. Never the key itself."
        value={texts.note}
        maxLength={500}
        autosize
        minRows={2}
        onChange={(event) => set({ ...texts, note: event.currentTarget.value })}
      />
    </>
  )
}

function Edit({ apiKey }: { apiKey: ApiKey }) {
  const [opened, { open, close }] = useDisclosure(false)
  const { name, note } = apiKey
  const [texts, setTexts] = useState({ name, note })
  const change = useMutation({
    mutationFn: () => patch(`/keys/${apiKey.id}`, texts),
    onSuccess: () => {
      close()
      return again()
    },
  })
  return (
    <>
      <Button
        size="xs"
        variant="subtle"
        aria-label={`Edit ${nameOf(apiKey)}`}
        onClick={() => {
          setTexts({ name, note })
          open()
        }}
      >
        Edit
      </Button>
      <Modal
        opened={opened}
        onClose={close}
        title={`Edit ${nameOf(apiKey)}`}
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <form
          onSubmit={(event) => {
            event.preventDefault()
            change.mutate()
          }}
        >
          <Stack>
            <TextFields texts={texts} set={setTexts} />
            <Trouble error={change.error} />
            <Button type="submit" loading={change.isPending}>
              Save
            </Button>
          </Stack>
        </form>
      </Modal>
    </>
  )
}

function NewKey({ opened, close }: { opened: boolean; close(): void }) {
  const [texts, setTexts] = useState({ name: '', note: '' })
  const make = useMutation({
    mutationFn: () => post<{ api_key: string }>('/keys', texts),
    onSuccess: again,
  })
  const done = () => {
    make.reset()
    setTexts({ name: '', note: '' })
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
            <TextFields texts={texts} set={setTexts} />
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
