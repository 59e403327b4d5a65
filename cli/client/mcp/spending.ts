export type Wish = { receiver_address: string; resource_amount: number }

/** What a session may spend. Every purchase is held against the limit before it is asked for. */
export type Spending = {
  left(): bigint
  /**
   * The highest price to pay with this key: that of its first attempt. Undefined when it is above what is
   * left; a sentence when the key cannot be used.
   */
  hold(key: string, wish: Wish, price: bigint): bigint | string | undefined
  /** A person has agreed to this purchase: it does not count against the limit. */
  allow(key: string, wish: Wish, price: bigint): void
  /** The call has ended. Only a purchase that was never made before is free again. */
  ended(key: string, wasRefused: boolean): void
}

type Held = Wish & {
  price: bigint
  counts: bigint
  atMs: number
  isUnderWay: boolean
  /** It may have been bought by an earlier call: a refusal of a later one proves nothing. */
  mayBeBought: boolean
}

/** The service forgets a key after 24 hours: then it would buy again. */
const KEY_LIFE_MS = 23 * 3_600_000

export function createSpending(limit: bigint, nowMs = () => performance.now()): Spending {
  const purchases = new Map<string, Held>()
  const left = () => [...purchases.values()].reduce((rest, { counts }) => rest - counts, limit)
  const begin = (key: string, wish: Wish, price: bigint, counts: bigint) => {
    const { receiver_address, resource_amount } = wish
    const flags = { atMs: nowMs(), isUnderWay: true, mayBeBought: false }
    purchases.set(key, { receiver_address, resource_amount, price, counts, ...flags })
  }

  function troubleWith(held: Held, wish: Wish): string | undefined {
    const isSame =
      held.receiver_address === wish.receiver_address &&
      held.resource_amount === wish.resource_amount
    if (!isSame) return 'This idempotency_key belongs to another purchase.'
    if (held.isUnderWay) return 'A purchase with this idempotency_key is under way.'
    const isOld = nowMs() - held.atMs > KEY_LIFE_MS
    return isOld ? 'This idempotency_key is too old. Look at the orders first.' : undefined
  }

  return {
    left,
    hold(key, wish, price) {
      const held = purchases.get(key)
      if (!held) {
        if (price > left()) return undefined
        begin(key, wish, price, price)
        return price
      }
      const trouble = troubleWith(held, wish)
      if (trouble) return trouble
      held.isUnderWay = true
      return held.price
    },
    allow: (key, wish, price) => begin(key, wish, price, 0n),
    ended(key, wasRefused) {
      const held = purchases.get(key)
      if (!held) return
      if (wasRefused && !held.mayBeBought) purchases.delete(key)
      else Object.assign(held, { isUnderWay: false, mayBeBought: true })
    },
  }
}
