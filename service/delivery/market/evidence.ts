import type { ClaimRow } from './judge.sql.ts'

/** A delegation on the chain that belongs to an attempt. */
export type Delegated = {
  txid: string
  owner: string
  stake: bigint
  energy: bigint
  block: bigint
  seenAt: Date
}

/** Transactions that a marketplace named for an attempt: confirmed ones, and the number of missing ones. */
export type Named = { delegated: Delegated[]; missing: number }

/** A thousandth: the network's totals change between the block and our reading. */
const TOLERANCE_PARTS = 1_000n

/** Whether the delegated Energy is the wanted amount, within the drift of the network's totals. */
export function isWhole(delegated: bigint, wanted: bigint): boolean {
  return delegated * TOLERANCE_PARTS >= wanted * (TOLERANCE_PARTS - 1n)
}

/**
 * Checks named transactions: each must be a delegation of Energy to our receiver, in a block on the
 * chain, made after our order.
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

/** Rounds to the ordered amount within the tolerance. */
function evened(delegated: Delegated[], wanted: bigint): Delegated[] {
  const sum = delegated.reduce((total, { energy }) => total + energy, 0n)
  const [first, ...others] = delegated
  if (!first || sum >= wanted || !isWhole(sum, wanted)) return delegated
  return [{ ...first, energy: first.energy + wanted - sum }, ...others]
}
