import { type HexAddress, verifyMessageV2 } from '@ergon/tron'

/** An account's claim to an address, with the signature as proof. */
type Claim = { account: string; address: string; signature: string | undefined }

/** The text that a wallet signs (signMessageV2) to prove that it belongs to the account. */
function ownershipMessage(account: string, address: string): string {
  return `${account}:${address}`
}

/** Whether the key of the address signed for the account. */
export function isOwnershipProven(claim: Claim, wallet: HexAddress): boolean {
  const { account, address, signature } = claim
  if (signature === undefined) return false
  return verifyMessageV2(ownershipMessage(account, address), signature) === wallet
}
