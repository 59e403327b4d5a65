import type { Offer } from '../providers/index.ts'

/** One part of an order at one provider. */
export type PlannedPart = { provider: string; energy: bigint; cost: bigint }

/**
 * The cheapest plan over what is offered now. An offer that can carry the whole is taken alone when
 * it is the cheapest; otherwise the cheapest offers are filled in turn. Undefined when there is not
 * enough.
 */
export function planParts(offers: readonly Offer[], energy: bigint): PlannedPart[] | undefined {
  const parts: PlannedPart[] = []
  let left = energy
  for (const { provider, unitPrice, capacity } of offers) {
    if (left === 0n) break
    const take = capacity < left ? capacity : left
    if (take <= 0n) continue
    parts.push({ provider, energy: take, cost: take * unitPrice })
    left -= take
  }
  return left === 0n ? parts : undefined
}

export function costOf(parts: readonly PlannedPart[]): bigint {
  return parts.reduce((sum, part) => sum + part.cost, 0n)
}
