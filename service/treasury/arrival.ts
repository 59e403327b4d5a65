/** An attempt at the marketplace that may have changed the balance between two readings. */
export type Charge = { id: string; state: string; cost: bigint; calledAt: Date }

export type Readings = {
  /** The balance before, read between two times, and the attempts that were open before it. */
  before: { balance: bigint; from: Date; till: Date; open: ReadonlySet<string> }
  /** The balance now; attempts that had ended before it was read. */
  after: { balance: bigint; ended: ReadonlySet<string> }
  amount: bigint
  charges: readonly Charge[]
}

export type Arrival = {
  verdict: 'arrived' | 'not_yet' | 'unclear'
  /** The balances that fit the arrival. Equal when nothing was open: then it is exact. */
  least: bigint
  most: bigint
}

/**
 * Whether the balance rose by the top-up: after = before + top-up − charges between. An attempt that began and ended
 * between the readings has a known charge. One that was open at a reading may have been charged before or after it, or given
 * back, so it widens the range; a range as wide as the top-up says nothing.
 */
export function arrivalOf({ before, after, amount, charges }: Readings): Arrival {
  let [low, high] = [0n, 0n]
  for (const charge of charges) {
    const [least, most] = changeBy(charge, before, after)
    low += least
    high += most
  }
  const [least, most] = [before.balance + amount + low, before.balance + amount + high]
  const fits = after.balance >= least && after.balance <= most
  // Without the top-up the balance could be as high as this.
  const without = before.balance + high
  if (fits && after.balance > without) return { verdict: 'arrived', least, most }
  return { verdict: fits ? 'unclear' : 'not_yet', least, most }
}

function changeBy(
  { id, state, cost, calledAt }: Charge,
  before: Readings['before'],
  after: Readings['after'],
): readonly [bigint, bigint] {
  const isNew = calledAt > before.till && !before.open.has(id)
  const hasEnded = after.ended.has(id)
  // Certain: no order exists and nothing was charged.
  if (hasEnded && state === 'refused') return [0n, 0n]
  if (isNew) return hasEnded && state === 'delivered' ? [-cost, -cost] : [-cost, 0n]
  // Charged before or after the first reading; only what failed is given back.
  return hasEnded && state === 'delivered' ? [-cost, 0n] : [-cost, cost]
}
