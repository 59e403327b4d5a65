import { Anchor, Button, PasswordInput, Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { Link, useRouterState } from '@tanstack/react-router'
import { ApiTrouble, post } from '../../shared/api.ts'
import { Trouble } from '../../shared/Page.tsx'
import { type Entered, Entrance } from './Entrance.tsx'
import { useEnter } from './SignIn.tsx'

/** The page of a sign-up link. Its token is after the #, which no server sees. */
export function Confirm() {
  const token = useRouterState({ select: ({ location }) => location.hash })
  const { enter, codeStep } = useEnter()
  const form = useForm({ initialValues: { password: '' } })
  const confirm = useMutation({
    mutationFn: (values: typeof form.values) =>
      post<Entered>('/session/sign-up/confirm', { token, ...values }),
    onSuccess: enter,
  })
  const isOver =
    confirm.error instanceof ApiTrouble && confirm.error.code === 'invalid_sign_up_link'
  const another = (
    <Button component={Link} to="/sign-up" variant="default">
      Sign up again
    </Button>
  )
  if (codeStep) return codeStep
  return (
    <Entrance
      title="Choose a password"
      below={
        <Anchor component={Link} to="/sign-in" underline="always">
          Back to sign in
        </Anchor>
      }
    >
      {token === '' ? (
        <Stack>
          <Text>This link is incomplete. Open it again from the e-mail, or request another.</Text>
          {another}
        </Stack>
      ) : (
        <form onSubmit={form.onSubmit((values) => confirm.mutate(values))}>
          <Stack>
            <PasswordInput
              label="Password"
              description="At least 10 characters"
              autoComplete="new-password"
              minLength={10}
              required
              {...form.getInputProps('password')}
            />
            <Trouble error={confirm.error} {...(isOver && { action: another })} />
            <Button type="submit" loading={confirm.isPending}>
              Open the account
            </Button>
          </Stack>
        </form>
      )}
    </Entrance>
  )
}
