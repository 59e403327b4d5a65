import { Alert, Button, Stack } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { post } from '../../shared/api.ts'
import { IconWallet } from '../../shared/icons.tsx'
import { messageOf } from '../../shared/messages.ts'
import { NoWallet, openWallet } from '../wallet.ts'
import type { Entered } from './Entrance.tsx'

type Challenge = { nonce: string; message: string }

/** Lets the wallet sign our text, to sign in or to be linked. */
export async function signWithWallet<T>(
  paths: { challenge: string; answer: string },
  more = {},
): Promise<T> {
  const wallet = await openWallet()
  const { nonce, message } = await post<Challenge>(paths.challenge, { address: wallet.address })
  const signature = await wallet.sign(message)
  return post<T>(paths.answer, { nonce, signature, ...more })
}

export const walletWords = (error: unknown) =>
  error instanceof NoWallet ? error.message : messageOf(error)

export function WalletButton({
  onEntered,
  referralCode,
}: {
  onEntered(entered: Entered): Promise<void>
  referralCode?: string
}) {
  const signIn = useMutation({
    mutationFn: () =>
      signWithWallet<Entered>(
        { challenge: '/session/wallet/challenge', answer: '/session/wallet' },
        referralCode ? { referral_code: referralCode } : {},
      ),
    onSuccess: onEntered,
  })
  return (
    <Stack gap="xs">
      <Button
        variant="default"
        leftSection={<IconWallet size={18} />}
        loading={signIn.isPending}
        onClick={() => signIn.mutate()}
      >
        Continue with TronLink
      </Button>
      {signIn.error && (
        <Alert color="red" variant="light" role="alert">
          {walletWords(signIn.error)}
        </Alert>
      )}
    </Stack>
  )
}
