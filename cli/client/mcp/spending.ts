/** What a session may spend. Every purchase is held against the limit before it is asked for. */
export type Spending = {
  left(): bigint
  /** The highest price to pay with this key: that of its first attempt. Undefined when it is above what is left. */
  hold(key: string, price: bigint): bigint | undefined
  /** A person has agreed to this purchase: it does not count against the limit. */
  allow(key: string, price: bigint): void
  /** Nobody knows whether it was bought: a later refusal of the same key proves nothing. */
  doubt(key: string): void
  /** The purchase was refused. */
  release(key: string): void
}

type Held = { price: bigint; counts: bigint; isUnknown?: boolean }

export function createSpending(limit: bigint): Spending {
  const purchases = new Map<string, Held>()
  const left = () => [...purchases.values()].reduce((rest, { counts }) => rest - counts, limit)
  return {
    left,
    hold(key, price) {
      const held = purchases.get(key)
      if (held) return held.price
      if (price > left()) return undefined
      purchases.set(key, { price, counts: price })
      return price
    },
    allow(key, price) {
      purchases.set(key, { price, counts: 0n })
    },
    doubt(key) {
      const held = purchases.get(key)
      if (held) held.isUnknown = true
    },
    release(key) {
      if (!purchases.get(key)?.isUnknown) purchases.delete(key)
    },
  }
}
