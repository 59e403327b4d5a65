import {
  Alert,
  Anchor,
  Button,
  Group,
  Modal,
  PasswordInput,
  Stack,
  Text,
  TextInput,
} from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { request } from './api.ts'
import { browserWords } from './browserWords.ts'
import { canPasskey, namedHere } from './canPasskey.ts'
import { IconPlus } from './icons.tsx'
import { Panel, RowsSkeleton, Trouble } from './Page.tsx'
import { addPasskey, passkeyWords } from './passkey.ts'
import { When } from './When.tsx'

const PASSKEYS_MAX = 10

type Passkey = {
  id: string
  name: string
  synced: boolean
  created_at: string
  last_used_at: string | null
}
type Props = {
  /** Of the workspace or the console. */
  base: '/app/v1' | '/operator/v1'
  hasApp: boolean
  /** Whether a password is asked for while there is no second factor. */
  hasPassword: boolean
  /** Reloads what else shows the second factor. */
  again(): unknown
}

/** The passkeys of who is signed in: add, rename, remove. */
export function Passkeys(props: Props) {
  const { base, hasApp } = props
  const [opened, form] = useDisclosure(false)
  const { data, error, refetch } = useQuery({
    queryKey: ['passkeys', base],
    queryFn: () => request<{ passkeys: Passkey[] }>('GET', `${base}/passkeys`),
  })
  const again = async () => {
    await Promise.all([refetch(), props.again()])
  }
  const passkeys = data?.passkeys ?? []
  const isLast = !hasApp && passkeys.length === 1
  return (
    <Panel title="Passkeys">
      <Stack align="flex-start">
        <Text size="sm">
          A passkey signs you in with your finger, face or the PIN of your device, without password
          and code. It can take the place of a code wherever one is asked for.
        </Text>
        <Trouble error={error} retry={refetch} />
        {!data && !error && <RowsSkeleton rows={1} />}
        {passkeys.length > 0 && (
          <PasskeyTable base={base} passkeys={passkeys} isLast={isLast} again={again} />
        )}
        {isLast && (
          <Alert color="yellow" variant="light">
            This passkey is your only second step: without it nobody signs in with your password
            alone. Add another one, or set up an authenticator app, for the day you lose it.
          </Alert>
        )}
        {passkeys.length >= PASSKEYS_MAX ? (
          <Text size="sm" c="dimmed">
            {PASSKEYS_MAX} passkeys are the most. Remove one to add another.
          </Text>
        ) : canPasskey() ? (
          <Button variant="default" leftSection={<IconPlus size={16} />} onClick={form.open}>
            Add a passkey
          </Button>
        ) : (
          <NotHere />
        )}
      </Stack>
      {opened && (
        <Add
          {...props}
          isFirst={!hasApp && passkeys.length === 0}
          again={again}
          close={form.close}
        />
      )}
    </Panel>
  )
}

function NotHere() {
  const named = namedHere()
  return (
    <Text size="sm" c="dimmed">
      {named ? (
        <>
          Browsers keep no passkeys for an address of numbers.{' '}
          <Anchor href={named} underline="always">
            Open this page at localhost
          </Anchor>{' '}
          to add one.
        </>
      ) : (
        'This browser keeps no passkeys for this page: they need https and a browser that knows them.'
      )}
    </Text>
  )
}

function PasskeyTable(props: {
  base: string
  passkeys: Passkey[]
  isLast: boolean
  again(): Promise<void>
}) {
  return (
    <div className="scroll" style={{ width: '100%' }}>
      <table className="rows stack">
        <thead>
          <tr>
            <th>Name</th>
            <th>Added</th>
            <th>Last used</th>
            <th>
              <span className="hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {props.passkeys.map((passkey) => (
            <tr key={passkey.id}>
              <td className="wrap">
                {passkey.name}
                {passkey.synced && <div className="soft">Copied to your other devices</div>}
              </td>
              <td data-label="Added">
                <When at={passkey.created_at} />
              </td>
              <td data-label="Last used">
                {passkey.last_used_at ? <When at={passkey.last_used_at} /> : 'Never'}
              </td>
              <td className="right deed">
                <Rename {...props} passkey={passkey} />
                <Remove {...props} passkey={passkey} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

type OfOne = { base: string; passkey: Passkey; again(): Promise<void> }

function NameInput({ name, set }: { name: string; set(name: string): void }) {
  return (
    <TextInput
      label="Name"
      description="To tell it from others, such as the device"
      required
      maxLength={60}
      value={name}
      onChange={(event) => set(event.currentTarget.value)}
      data-autofocus
    />
  )
}

function Add(props: Props & { isFirst: boolean; again(): Promise<void>; close(): void }) {
  const { base, isFirst, hasPassword, again, close } = props
  const [name, setName] = useState(() => browserWords(navigator.userAgent))
  const [password, setPassword] = useState('')
  const asksPassword = isFirst && hasPassword
  const add = useMutation({
    mutationFn: () => addPasskey(base, name.trim(), asksPassword ? { password } : {}),
    async onSuccess() {
      await again()
      close()
    },
  })
  return (
    <Modal
      opened
      onClose={close}
      title="Add a passkey"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault()
          add.mutate()
        }}
      >
        <Stack>
          <NameInput name={name} set={setName} />
          {asksPassword && (
            <PasswordInput
              label="Your password"
              autoComplete="current-password"
              required
              value={password}
              onChange={(event) => setPassword(event.currentTarget.value)}
            />
          )}
          {isFirst && (
            <Text size="sm">
              From then on your password alone does not sign you in: the passkey, or an
              authenticator app, is asked for as well.
            </Text>
          )}
          {add.error && (
            <Alert color="red" variant="light" role="alert">
              {passkeyWords(add.error)}
            </Alert>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button type="submit" loading={add.isPending}>
              Continue
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}

function Rename({ base, passkey, again }: OfOne) {
  const [opened, { open, close }] = useDisclosure(false)
  const [name, setName] = useState(passkey.name)
  const rename = useMutation({
    mutationFn: () => request('PATCH', `${base}/passkeys/${passkey.id}`, { name: name.trim() }),
    async onSuccess() {
      await again()
      close()
    },
  })
  return (
    <>
      <Button size="xs" variant="subtle" onClick={open} aria-label={`Rename ${passkey.name}`}>
        Rename
      </Button>
      <Modal
        opened={opened}
        onClose={close}
        title={`Rename ${passkey.name}`}
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <form
          onSubmit={(event) => {
            event.preventDefault()
            rename.mutate()
          }}
        >
          <Stack>
            <NameInput name={name} set={setName} />
            <Trouble error={rename.error} />
            <Button type="submit" loading={rename.isPending}>
              Save
            </Button>
          </Stack>
        </form>
      </Modal>
    </>
  )
}

function Remove({ base, passkey, isLast, again }: OfOne & { isLast: boolean }) {
  const [opened, { open, close }] = useDisclosure(false)
  const removal = useMutation({
    mutationFn: () => request('DELETE', `${base}/passkeys/${passkey.id}`),
    onSuccess: again,
  })
  const withoutAny =
    base === '/app/v1'
      ? 'It is your last second step: from then on your password or wallet alone signs you in and changes keys.'
      : 'It is your last second step: from then on you can only read, until somebody with a machine of the service sets up an app for you.'
  return (
    <>
      <Button
        size="xs"
        variant="subtle"
        color="red"
        onClick={open}
        aria-label={`Remove ${passkey.name}`}
      >
        Remove
      </Button>
      <Modal
        opened={opened}
        onClose={close}
        title={`Remove ${passkey.name}?`}
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <Stack>
          <Text>
            It signs you in no longer, and your other sessions end. Your device may still offer it:
            delete it there too.
          </Text>
          {isLast && (
            <Alert color="yellow" variant="light">
              {withoutAny}
            </Alert>
          )}
          <Trouble error={removal.error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Keep it
            </Button>
            <Button
              color="red"
              variant="light"
              loading={removal.isPending}
              onClick={() => removal.mutate()}
            >
              {isLast ? 'Remove my last second step' : 'Remove'}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  )
}
