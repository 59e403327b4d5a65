import type { BooksGroup } from '@ergon/contract'
import type { FigureRow } from './store.ts'

/**
 * What own stake had to earn, and the margin less that. Worked out, and nothing that the ledger knows: the network fees of own
 * stake are booked and in the margin already. Null where it is not divided, because one stake serves all products and clients.
 */
export type AfterStake = { stakeCost: bigint | null; marginAfterStake: bigint | null }

export type StakeDay = { day: string; cost: bigint }

const DIVIDED: readonly BooksGroup[] = ['day', 'month', 'provider']
const OWN = 'own_stake'

/** Adds it to the rows of a report; a day or month without sales gets a row. */
export function withStakeCost(
  rows: readonly FigureRow[],
  groups: readonly BooksGroup[],
  days: readonly StakeDay[],
): (FigureRow & AfterStake)[] {
  if (!groups.every((group) => DIVIDED.includes(group))) {
    return rows.map((row) => ({ ...row, stakeCost: null, marginAfterStake: null }))
  }
  const costs = new Map<string, bigint>()
  const keys = new Map(rows.map((row) => [keyOf(row), row]))
  for (const { day, cost } of days) {
    const row = emptyRow({
      day: groups.includes('day') ? day : null,
      month: groups.includes('month') ? day.slice(0, 7) : null,
      provider: groups.includes('provider') ? OWN : null,
    })
    const key = keyOf(row)
    costs.set(key, (costs.get(key) ?? 0n) + cost)
    if (!keys.has(key)) keys.set(key, row)
  }
  return [...keys.entries()]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, row]) => {
      const stakeCost = costs.get(key) ?? 0n
      return { ...row, stakeCost, marginAfterStake: row.margin - stakeCost }
    })
}

const keyOf = ({ day, month, provider }: FigureRow) => JSON.stringify([day, month, provider])

function emptyRow(names: Pick<FigureRow, 'day' | 'month' | 'provider'>): FigureRow {
  return {
    ...names,
    product: null,
    client: null,
    revenue: 0n,
    refunds: 0n,
    rewards: 0n,
    providerCost: 0n,
    networkFees: 0n,
    goodwill: 0n,
    margin: 0n,
    returned: 0n,
    completed: 0n,
    failed: 0n,
  }
}
