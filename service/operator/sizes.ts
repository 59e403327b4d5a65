import type { Delivery } from '../delivery/index.ts'
import { exactTrx, formatTrx, grouped, type Sun } from '../kernel/index.ts'
import type { Pricing } from '../pricing/index.ts'

/** An order of this size now; `why` says why it is not sold, null: it is. */
export type Size = {
  energy: bigint
  price: Sun
  /** Undefined: nobody can deliver this much. */
  cost: bigint | undefined
  why: string | null
}

/** Sizes that are looked at beside the operator's bounds: the least usual ones, two transfers, and a large order. */
const LOOKED_AT = [32_000n, 65_000n, 131_000n, 1_000_000n]

type Deps = {
  pricing: Pick<Pricing, 'terms' | 'priceFor'>
  delivery: Pick<Delivery, 'costOf'>
}

/** Whether an account without a discount can buy each size now, the smallest first. */
export function readSizes({ pricing, delivery }: Deps): Size[] {
  const { minAmount, maxAmount, marginFloor } = pricing.terms()
  const between = LOOKED_AT.filter((energy) => energy > minAmount && energy < maxAmount)
  const sizes = [...new Set([minAmount, ...between, maxAmount])]
  return sizes.map((energy) => {
    const price = pricing.priceFor('', energy)
    const cost = delivery.costOf(energy)
    return { energy, price, cost, why: whyNot(energy, price, cost, marginFloor) }
  })
}

function whyNot(energy: bigint, price: Sun, cost: bigint | undefined, marginFloor: bigint) {
  if (cost === undefined) return 'nobody offers this much'
  if (price >= cost + energy * marginFloor) return null
  const floor = marginFloor > 0n ? ' and the margin floor' : ''
  return `costs us ${trx(cost)} TRX${floor}, and the price is ${trx(price)}`
}

/** The largest size sold now, where not all of them are. */
export function sizesSentence(sizes: readonly Size[]): string {
  const largest = sizes.findLast(({ why }) => why === null)
  if (!largest) return `Every purchase is refused: ${sizes[0]!.why}.`
  const isWhole = sizes.every(({ why }) => why === null)
  return isWhole ? '' : ` The largest size sold now is ${grouped(largest.energy)} Energy.`
}

const trx = (amount: bigint) => exactTrx(formatTrx(amount as Sun))
