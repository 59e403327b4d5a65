import { Anchor, Button, PasswordInput, Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { Link, useRouterState } from '@tanstack/react-router'
import { ApiTrouble, post } from '../../shared/api.ts'
import { Trouble } from '../../shared/Page.tsx'
import { queryClient } from '../queries.ts'
import { Entrance } from './Entrance.tsx'

/** The page of a reset link. Its token is after the #, which no server sees. */
export function Reset() {
  const token = useRouterState({ select: ({ location }) => location.hash })
  const form = useForm({ initialValues: { new_password: '' } })
  const set = useMutation({
    mutationFn: (values: typeof form.values) => post('/session/reset', { token, ...values }),
    // The old session has ended.
    onSuccess: () => queryClient.clear(),
  })
  const isOver = set.error instanceof ApiTrouble && set.error.code === 'invalid_reset_link'
  const another = (
    <Button component={Link} to="/forgot" variant="default">
      Ask for a new link
    </Button>
  )
  return (
    <Entrance
      title={set.isSuccess ? 'Your password is changed' : 'Choose a new password'}
      below={
        <Anchor component={Link} to="/sign-in" underline="always">
          Back to sign in
        </Anchor>
      }
    >
      {set.isSuccess ? (
        <Stack>
          <Text>Everybody was signed out, on all devices. Sign in with the new one.</Text>
          <Button component={Link} to="/sign-in">
            Sign in
          </Button>
        </Stack>
      ) : token === '' ? (
        <Stack>
          <Text>This link is incomplete. Open it again from the e-mail, or request another.</Text>
          {another}
        </Stack>
      ) : (
        <form onSubmit={form.onSubmit((values) => set.mutate(values))}>
          <Stack>
            <PasswordInput
              label="New password"
              description="At least 10 characters. All your sessions end."
              autoComplete="new-password"
              minLength={10}
              required
              {...form.getInputProps('new_password')}
            />
            <Trouble error={set.error} {...(isOver && { action: another })} />
            <Button type="submit" loading={set.isPending}>
              Change password
            </Button>
          </Stack>
        </form>
      )}
    </Entrance>
  )
}
