import { Anchor, Button, Divider, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { post } from '../../shared/api.ts'
import { Trouble } from '../../shared/Page.tsx'
import { queryClient } from '../queries.ts'
import { Entrance } from './Entrance.tsx'
import { WalletButton } from './WalletButton.tsx'

type Entered = { totp_required: boolean }

export function useEnter() {
  const navigate = useNavigate()
  const { back } = useSearch({ strict: false }) as { back?: string }
  return async () => {
    queryClient.clear()
    await navigate({ to: back ?? '/' })
  }
}

export function SignIn() {
  const enter = useEnter()
  const form = useForm({ initialValues: { email: '', password: '' } })
  const signIn = useMutation({
    mutationFn: (values: { email: string; password: string }) =>
      post<Entered>('/session/sign-in', values),
    onSuccess: ({ totp_required }) => (totp_required ? undefined : enter()),
  })
  if (signIn.data?.totp_required) return <CodeStep enter={enter} restart={signIn.reset} />
  return (
    <Entrance
      title="Sign in"
      below={
        <>
          New here?{' '}
          <Anchor component={Link} to="/sign-up" underline="always">
            Create an account
          </Anchor>
        </>
      }
    >
      <form onSubmit={form.onSubmit((values) => signIn.mutate(values))}>
        <Stack>
          <TextInput
            label="E-mail"
            type="email"
            autoComplete="username"
            required
            {...form.getInputProps('email')}
          />
          <PasswordInput
            label="Password"
            autoComplete="current-password"
            required
            {...form.getInputProps('password')}
          />
          <Trouble error={signIn.error} />
          <Button type="submit" loading={signIn.isPending}>
            Sign in
          </Button>
        </Stack>
      </form>
      <Divider my="md" label="or" />
      <WalletButton onEntered={enter} />
    </Entrance>
  )
}

function CodeStep({ enter, restart }: { enter(): Promise<void>; restart(): void }) {
  const form = useForm({ initialValues: { code: '' } })
  const confirm = useMutation({
    mutationFn: (values: { code: string }) => post<Entered>('/session/code', values),
    onSuccess: enter,
  })
  return (
    <Entrance
      title="Your second step"
      below={
        <Anchor component="button" type="button" onClick={restart} underline="always">
          Start again
        </Anchor>
      }
    >
      <form onSubmit={form.onSubmit((values) => confirm.mutate(values))}>
        <Stack>
          <Text size="sm">
            Enter the code that your authenticator app shows now, or a backup code.
          </Text>
          <TextInput
            label="Code"
            inputMode="numeric"
            autoComplete="one-time-code"
            autoFocus
            required
            {...form.getInputProps('code')}
          />
          <Trouble error={confirm.error} />
          <Button type="submit" loading={confirm.isPending}>
            Continue
          </Button>
        </Stack>
      </form>
    </Entrance>
  )
}
