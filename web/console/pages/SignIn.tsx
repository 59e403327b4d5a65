import { Button, Container, Paper, Stack, TextInput, Title } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { request } from '../../shared/api.ts'
import { CurrentPassword, Email } from '../../shared/Credentials.tsx'
import { Trouble } from '../../shared/Page.tsx'
import { queryClient } from '../calls.ts'

type Entered = { totp_required: boolean }

/** Two steps on one form: the code is requested when it is needed. */
export function SignIn() {
  const navigate = useNavigate()
  const form = useForm({ initialValues: { email: '', password: '', code: '' } })
  const [needsCode, setNeedsCode] = useState(false)
  const enter = useMutation({
    mutationFn: ({ email, password, code }: typeof form.values) =>
      needsCode
        ? request<Entered>('POST', '/operator/v1/session/code', { code })
        : request<Entered>('POST', '/operator/v1/session/sign-in', { email, password }),
    async onSuccess({ totp_required }) {
      setNeedsCode(totp_required)
      if (totp_required) return
      queryClient.clear()
      await navigate({ to: '/' })
    },
  })
  return (
    <Container size={420} py={{ base: 'xl', sm: 64 }} component="main">
      <Paper withBorder p="lg" radius="md">
        <Title order={1} size="h3" mb="md">
          Ergon console
        </Title>
        <form onSubmit={form.onSubmit((values) => enter.mutate(values))}>
          <Stack>
            <Email {...form.getInputProps('email')} />
            <CurrentPassword {...form.getInputProps('password')} />
            {needsCode && (
              <TextInput
                label="Code of your authenticator app"
                autoComplete="one-time-code"
                required
                {...form.getInputProps('code')}
              />
            )}
            <Trouble error={enter.error} />
            <Button type="submit" loading={enter.isPending}>
              Sign in
            </Button>
          </Stack>
        </form>
      </Paper>
    </Container>
  )
}
