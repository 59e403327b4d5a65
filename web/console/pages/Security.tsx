import { Button, Group, PasswordInput, Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Page, Panel, Trouble } from '../../shared/Page.tsx'
import { Totp } from '../../shared/Totp.tsx'
import { act, queryClient, sessionQuery } from '../calls.ts'
import { Health, Shown } from '../Shown.tsx'

const again = () => queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey })

/** How an operator signs in. Who is one is said at the command line. */
export function Security() {
  const session = useQuery(sessionQuery)
  return (
    <Page title="Security">
      <Shown query={session}>
        {(data) => (
          <>
            <Panel title="Second step">
              <Stack>
                {!data.totp_enabled && (
                  <Health ok={false}>A password alone opens this console.</Health>
                )}
                <Totp session={data} path="/operator/v1/session/totp" again={again} />
              </Stack>
            </Panel>
            <Password email={data.email} />
            <Panel title="Other operators">
              <Text size="sm">
                They are let in and taken out on the machine of a node:{' '}
                <code>npx ergon operators list</code>, <code>add</code>, <code>remove</code>.
              </Text>
            </Panel>
          </>
        )}
      </Shown>
    </Page>
  )
}

function Password({ email }: { email: string }) {
  const form = useForm({ initialValues: { current_password: '', new_password: '' } })
  const change = useMutation({
    mutationFn: (values: typeof form.values) => act('/session/password', values),
    onSuccess: () => form.reset(),
  })
  return (
    <Panel title="Password">
      <form onSubmit={form.onSubmit((values) => change.mutate(values))}>
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
          <Trouble error={change.error} />
          <Group>
            <Button type="submit" loading={change.isPending}>
              Change password
            </Button>
            <Text size="sm" aria-live="polite">
              {change.isSuccess ? 'Changed.' : ''}
            </Text>
          </Group>
        </Stack>
      </form>
    </Panel>
  )
}
