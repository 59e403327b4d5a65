import { post } from './api.ts'
import { messageOf } from './messages.ts'

/** TronLink, as it appears in the page. */
type TronLink = {
  request(call: { method: string }): Promise<unknown>
  tronWeb?: TronWeb | false
}
type TronWeb = {
  defaultAddress: { base58: string | false }
  trx: { signMessageV2(message: string): Promise<string> }
}
type Injected = { tronLink?: TronLink; tron?: TronLink; tronWeb?: TronWeb }

class NoWallet extends Error {}

/** The wallet's address and a function that signs. Asks its owner for permission first. */
async function openWallet(): Promise<{
  address: string
  sign(text: string): Promise<string>
}> {
  const { tronLink, tron, tronWeb: bare } = window as unknown as Injected
  const wallet = tronLink ?? tron
  if (!wallet && !bare)
    throw new NoWallet('There is no TronLink in this browser. Install it, or use your e-mail.')
  await wallet?.request({ method: 'tron_requestAccounts' })
  const tronWeb = (wallet?.tronWeb || bare) as TronWeb | undefined
  const address = tronWeb?.defaultAddress.base58
  if (!tronWeb || !address) throw new NoWallet('The wallet is locked. Unlock it and try again.')
  return { address, sign: (text) => tronWeb.trx.signMessageV2(text) }
}

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
