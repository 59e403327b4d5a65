import { APPROVAL_MS_MAX } from '@ergon/contract/approval.ts'
import type { Chain } from '../../chain/index.ts'
import { type Approval, isSignatureOf, type Signing } from '../../signing/index.ts'

/** Why an approval is not passed on; the signer looks again with its own keys. */
export function troubleWithApproval(
  { key, ends, signature }: Approval,
  of: { text: string; what: string; now: Date },
): string | undefined {
  const left = ends.getTime() - of.now.getTime()
  if (!(left > 0 && left <= APPROVAL_MS_MAX)) return 'An approval ends within 24 hours.'
  return isSignatureOf(of.text, key, signature)
    ? undefined
    : `The signature does not fit this ${of.what}: sign what it shows now.`
}

/**
 * Why the books may know less than the chain. In a restored database it may be done already, and the
 * finding comes when the scanner has read its block. Read anew: a command has no loop that does.
 */
export async function behindChain({ lag }: Chain): Promise<string | undefined> {
  await lag.look()
  return lag.behind()?.sentence
}

/** A transaction for this id that is in a block, whatever its row says. */
export async function minedFor(
  id: string,
  { chain, signing }: { chain: Chain; signing: Signing },
): Promise<string | undefined> {
  for (const { txid } of await signing.payouts.signed([id])) {
    if (await chain.node.getTransactionInfoById(txid)) return txid
  }
  return undefined
}
