import { Anchor, Button, Divider, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { post } from '../../shared/api.ts'
import { CurrentPassword, Email } from '../../shared/Credentials.tsx'
import { Trouble } from '../../shared/Page.tsx'
import { queryClient } from '../queries.ts'
import { CodeStep } from './CodeStep.tsx'
import { type Entered, Entrance } from './Entrance.tsx'
import { WalletButton } from './WalletButton.tsx'

/** Opens the workspace after a sign-in, or the second step first. */
export function useEnter() {
  const navigate = useNavigate()
  const { back } = useSearch({ strict: false }) as { back?: string }
  const [halfWay, setHalfWay] = useState(false)
  const enter = async ({ totp_required }: Entered) => {
    if (totp_required) return setHalfWay(true)
    queryClient.clear()
    await navigate({ to: back ?? '/overview' })
  }
  const codeStep = halfWay && <CodeStep enter={enter} restart={() => setHalfWay(false)} />
  return { enter, codeStep }
}

export function SignIn() {
  const { enter, codeStep } = useEnter()
  const form = useForm({ initialValues: { email: '', password: '' } })
  const signIn = useMutation({
    mutationFn: (values: { email: string; password: string }) =>
      post<Entered>('/session/sign-in', values),
    onSuccess: enter,
  })
  if (codeStep) return codeStep
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
          <Email {...form.getInputProps('email')} />
          <CurrentPassword {...form.getInputProps('password')} />
          <Anchor component={Link} to="/forgot" size="sm" underline="always">
            Forgot your password?
          </Anchor>
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
