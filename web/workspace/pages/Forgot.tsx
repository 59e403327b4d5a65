import { Anchor, Button, Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { post } from '../../shared/api.ts'
import { Email } from '../../shared/Credentials.tsx'
import { Trouble } from '../../shared/Page.tsx'
import { Entrance } from './Entrance.tsx'

type Letters = 'sent' | 'logged' | 'none'

const WORDS: Record<Letters, string> = {
  sent: 'Check your inbox, and the spam folder too.',
  logged: 'This sandbox sends no mail: the link is in the output of the service.',
  none: 'This service has no mail server, so it cannot send e-mail. Write to its operator.',
}

export function Forgot() {
  const form = useForm({ initialValues: { email: '' } })
  const ask = useMutation({
    mutationFn: (values: typeof form.values) =>
      post<{ letters: Letters }>('/session/forgotten', values),
  })
  return (
    <Entrance
      title="Choose a new password"
      below={
        <Anchor component={Link} to="/sign-in" underline="always">
          Back to sign in
        </Anchor>
      }
    >
      {ask.data ? (
        <Stack aria-live="polite">
          {ask.data.letters !== 'none' && (
            <Text>
              If {form.values.email} has an account, we have sent an e-mail with a link. The link
              works once, for 30 minutes.
            </Text>
          )}
          <Text>{WORDS[ask.data.letters]}</Text>
          <Button variant="default" onClick={() => ask.reset()}>
            Ask again
          </Button>
        </Stack>
      ) : (
        <form onSubmit={form.onSubmit((values) => ask.mutate(values))}>
          <Stack>
            <Text size="sm">We send a link to the address you signed up with.</Text>
            <Email {...form.getInputProps('email')} />
            <Trouble error={ask.error} />
            <Button type="submit" loading={ask.isPending}>
              Send the link
            </Button>
          </Stack>
        </form>
      )}
    </Entrance>
  )
}
