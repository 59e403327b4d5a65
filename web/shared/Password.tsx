import { Button, Group, PasswordInput, Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { Panel, Trouble } from './Page.tsx'

type Passwords = { current_password: string; new_password: string }
type Props = {
  email: string
  /** Calls the workspace or the console, and reloads what changed there. */
  change(passwords: Passwords): Promise<unknown>
}

/** Changes the password; asks for the old one. */
export function Password({ email, change }: Props) {
  const form = useForm<Passwords>({ initialValues: { current_password: '', new_password: '' } })
  const changing = useMutation({ mutationFn: change, onSuccess: () => form.reset() })
  return (
    <Panel title="Password">
      <form onSubmit={form.onSubmit((values) => changing.mutate(values))}>
        <Stack maw={400}>
          <input
            type="text"
            name="username"
            autoComplete="username"
            defaultValue={email}
            hidden
            readOnly
          />
          <PasswordInput
            label="Current password"
            autoComplete="current-password"
            required
            {...form.getInputProps('current_password')}
          />
          <PasswordInput
            label="New password"
            description="At least 10 characters. Your other sessions end."
            autoComplete="new-password"
            minLength={10}
            required
            {...form.getInputProps('new_password')}
          />
          <Trouble error={changing.error} />
          <Group>
            <Button type="submit" loading={changing.isPending}>
              Change password
            </Button>
            <Text size="sm" aria-live="polite">
              {changing.isSuccess ? 'Changed.' : ''}
            </Text>
          </Group>
        </Stack>
      </form>
    </Panel>
  )
}
