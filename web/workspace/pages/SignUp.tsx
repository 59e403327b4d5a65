import { Anchor, Button, Divider, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { post } from '../../shared/api.ts'
import { Email } from '../../shared/Credentials.tsx'
import { Trouble } from '../../shared/Page.tsx'
import { Entrance } from './Entrance.tsx'
import { useEnter } from './SignIn.tsx'
import { WalletButton } from './WalletButton.tsx'

type Asked = { letters: 'sent' | 'logged' | 'none'; link: string | null }

export function SignUp() {
  const { enter, codeStep } = useEnter()
  const { ref = '' } = useSearch({ strict: false }) as { ref?: string }
  const form = useForm({ initialValues: { email: '', referral_code: ref } })
  const signUp = useMutation({
    mutationFn: ({ referral_code, ...values }: typeof form.values) =>
      post<Asked>('/session/sign-up', { ...values, ...(referral_code && { referral_code }) }),
  })
  if (codeStep) return codeStep
  if (signUp.data) return <LinkSent email={form.values.email} {...signUp.data} />
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
          <TextInput
            label="Referral code"
            description="Optional: from the client who invited you"
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

/** The same text for every address; only the e-mail reveals whether it has an account. */
function LinkSent({ email, letters, link }: Asked & { email: string }) {
  return (
    <Entrance
      title="One more step"
      below={
        <Anchor component={Link} to="/sign-in" underline="always">
          Back to sign in
        </Anchor>
      }
    >
      <Stack aria-live="polite">
        {letters === 'sent' && (
          <Text>
            We have sent an e-mail with a link to {email}. The link works once, for an hour. Check
            the spam folder too.
          </Text>
        )}
        {link && (
          <>
            <Text>This is a sandbox: the link of the e-mail is here.</Text>
            <Anchor href={link} underline="always">
              Choose a password
            </Anchor>
          </>
        )}
      </Stack>
    </Entrance>
  )
}
