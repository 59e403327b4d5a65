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

export class NoWallet extends Error {}

/** The wallet's address and a function that signs. Asks its owner for permission first. */
export async function openWallet(): Promise<{
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
