import { Button, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { request } from '../../shared/api.ts'
import { Trouble } from '../../shared/Page.tsx'
import { Qr } from '../../shared/Qr.tsx'
import { StatusChip } from '../../shared/StatusChip.tsx'

const PATH = '/app/v1/session/totp'

type Begun = { uri: string; backup_codes: string[] }
type Props = {
  session: { totp_enabled: boolean; email: string }
  /** Reloads the session. */
  again(): Promise<void>
}

/** The second step: set up, confirm, and turn off. */
export function Totp({ session, again }: Props) {
  const [password, setPassword] = useState('')
  const asked = session.email ? { password } : {}
  const begin = useMutation({ mutationFn: () => request<Begun>('POST', PATH, asked) })
  const removal = useMutation({
    mutationFn: () => request('POST', `${PATH}/remove`, asked),
    onSuccess() {
      setPassword('')
      return again()
    },
  })
  if (begin.data && !session.totp_enabled) {
    return <Confirm begun={begin.data} again={again} />
  }
  const on = session.totp_enabled
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        ;(on ? removal : begin).mutate()
      }}
    >
      <Stack maw={400}>
        {on && <StatusChip status="active" />}
        <Text>
          {on
            ? 'A code of your authenticator app is asked for whenever you sign in, and before keys or wallets are changed if the last one is ten minutes old.'
            : 'With an authenticator app, a stolen password or wallet alone opens nothing.'}
        </Text>
        {session.email && (
          <PasswordInput
            label="Your password"
            autoComplete="current-password"
            required
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
          />
        )}
        <Trouble error={begin.error ?? removal.error} />
        <Button
          type="submit"
          variant={on ? 'default' : 'filled'}
          loading={begin.isPending || removal.isPending}
        >
          {on ? 'Turn off' : 'Set up an app'}
        </Button>
      </Stack>
    </form>
  )
}

function Confirm({ begun, again }: { begun: Begun } & Pick<Props, 'again'>) {
  const [code, setCode] = useState('')
  const confirm = useMutation({
    mutationFn: () => request('POST', `${PATH}/confirm`, { code }),
    onSuccess: again,
  })
  const secret = new URL(begun.uri).searchParams.get('secret') ?? ''
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        confirm.mutate()
      }}
    >
      <Stack>
        <Text>Scan this with your app, then enter the code it shows.</Text>
        <Group align="flex-start">
          <Qr value={begun.uri} label="QR code for the authenticator app" />
          <Stack gap="xs" maw={320}>
            <Text size="sm">Or type this secret:</Text>
            <span className="secret">{secret}</span>
            <Text size="sm">Backup codes. Each works once; keep them apart from the phone:</Text>
            <span className="secret">{begun.backup_codes.join('  ')}</span>
          </Stack>
        </Group>
        <TextInput
          label="Code"
          inputMode="numeric"
          autoComplete="one-time-code"
          maw={200}
          required
          value={code}
          onChange={(event) => setCode(event.currentTarget.value)}
        />
        <Trouble error={confirm.error} />
        <Button type="submit" maw={200} loading={confirm.isPending}>
          Turn on
        </Button>
      </Stack>
    </form>
  )
}
