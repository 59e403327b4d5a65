import { Anchor, Button, Divider, PasswordInput, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { post } from '../../shared/api.ts'
import { Email } from '../../shared/Credentials.tsx'
import { Trouble } from '../../shared/Page.tsx'
import { Entrance } from './Entrance.tsx'
import { type Entered, useEnter } from './SignIn.tsx'
import { WalletButton } from './WalletButton.tsx'

export function SignUp() {
  const { enter, codeStep } = useEnter()
  const { ref = '' } = useSearch({ strict: false }) as { ref?: string }
  const form = useForm({ initialValues: { email: '', password: '', referral_code: ref } })
  const signUp = useMutation({
    mutationFn: ({ referral_code, ...values }: typeof form.values) =>
      post<Entered>('/session/sign-up', { ...values, ...(referral_code && { referral_code }) }),
    onSuccess: enter,
  })
  if (codeStep) return codeStep
  return (
    <Entrance
      title="Create an account"
      below={
        <>
          Have one?{' '}
          <Anchor component={Link} to="/sign-in" underline="always">
            Sign in
          </Anchor>
        </>
      }
    >
      <form onSubmit={form.onSubmit((values) => signUp.mutate(values))}>
        <Stack>
          <Email {...form.getInputProps('email')} />
          <PasswordInput
            label="Password"
            description="At least 10 characters"
            autoComplete="new-password"
            minLength={10}
            required
            {...form.getInputProps('password')}
          />
          <TextInput
            label="Referral code"
            description="If somebody sent you"
            {...form.getInputProps('referral_code')}
          />
          <Trouble error={signUp.error} />
          <Button type="submit" loading={signUp.isPending}>
            Create account
          </Button>
        </Stack>
      </form>
      <Divider my="md" label="or" />
      <WalletButton onEntered={enter} referralCode={form.values.referral_code} />
    </Entrance>
  )
}
