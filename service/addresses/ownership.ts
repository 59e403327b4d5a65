import { type HexAddress, verifyMessageV2 } from '@ergon/tron'

/** Who claims which address, and the signature that is to prove it. */
type Claim = { account: string; address: string; signature: string | undefined }

/** What the key of a wallet signs (signMessageV2) to prove that the wallet is the account's. */
function ownershipMessage(account: string, address: string): string {
  return `${account}:${address}`
}

/** Whether the key of the address signed for the account. */
export function isOwnershipProven(claim: Claim, wallet: HexAddress): boolean {
  const { account, address, signature } = claim
  if (signature === undefined) return false
  return verifyMessageV2(ownershipMessage(account, address), signature) === wallet
}
