import type { DifferenceRow } from './decide.sql.ts'

export type Kind = DifferenceRow['kind']

/** What a difference is, by both sides of one order. Of several that fit, the one that costs us most comes first. */
export function kindOf(sides: {
  attemptId: string | null
  charged: bigint
  refunded: bigint
  /** Charges and refunds on their statement, and charges alone. */
  entries: bigint
  charges: bigint
  ours: bigint
}): Kind {
  const { attemptId, charged, refunded, entries, charges, ours } = sides
  const theirs = charged - refunded
  if (attemptId === null) return 'never_asked'
  if (charges > 1n && theirs > ours) return 'charged_twice'
  const isGivenBack = refunded > 0n || (entries > 0n && charged === 0n)
  if (isGivenBack && theirs < ours) return 'refunded'
  return charged === 0n ? 'not_charged' : 'other_amount'
}
