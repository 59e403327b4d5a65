import type { ClaimRow } from './store.ts'

/** A delegation on the chain that belongs to an attempt. */
export type Delegated = {
  txid: string
  owner: string
  stake: bigint
  energy: bigint
  block: bigint
  seenAt: Date
}

/** Of the transactions named for an attempt: those the chain confirms, and how many it does not have. */
export type Named = { delegated: Delegated[]; missing: number }

/** A thousandth: the network's totals move between their block and our reading of them. */
const TOLERANCE_PARTS = 1_000n

/** Less than what was sold, beyond the drift of the network's totals, is not delivered. */
export function isWhole(delegated: bigint, wanted: bigint): boolean {
  return delegated * TOLERANCE_PARTS >= wanted * (TOLERANCE_PARTS - 1n)
}

/**
 * A name proves nothing: the transaction must be a delegation of Energy to our receiver, in a block
 * that stands, made after we asked for it.
 */
export function evidenceOf(
  claims: readonly ClaimRow[],
  attempt: {
    receiver: string
    energy: bigint
    from: Date
    energyIn(stake: bigint): bigint
  },
): Named {
  const delegated = claims.flatMap(({ txid, owner, receiver, stake, block, seenAt }) => {
    if (owner === null || stake === null || block === null || seenAt === null) return []
    if (receiver !== attempt.receiver || seenAt < attempt.from) return []
    return [{ txid, owner, stake, energy: attempt.energyIn(stake), block, seenAt }]
  })
  return { delegated: evened(delegated, attempt.energy), missing: claims.length - delegated.length }
}

/** Within the tolerance it is what was ordered, to the last Energy. */
function evened(delegated: Delegated[], wanted: bigint): Delegated[] {
  const sum = delegated.reduce((total, { energy }) => total + energy, 0n)
  const [first, ...others] = delegated
  if (!first || sum >= wanted || !isWhole(sum, wanted)) return delegated
  return [{ ...first, energy: first.energy + wanted - sum }, ...others]
}
