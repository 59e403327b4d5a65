import { Anchor, Button, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { post } from '../../shared/api.ts'
import { Trouble } from '../../shared/Page.tsx'
import { type Entered, Entrance } from './Entrance.tsx'

/** The code of an authenticator app, after a password or a wallet's signature. */
export function CodeStep({
  enter,
  restart,
}: {
  enter(entered: Entered): Promise<void>
  restart(): void
}) {
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
