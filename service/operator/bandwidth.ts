import { NodeTrouble } from '@ergon/tron'
import type { Chain } from '../chain/index.ts'
import type { Delivery } from '../delivery/index.ts'
import { type Clock, counted, exactTrx, formatTrx, grouped, within } from '../kernel/index.ts'
import type { Signing } from '../signing/index.ts'

/** Bandwidth of own stake, in bytes, and what was burned for lack of it within a day. */
export type Bandwidth = {
  ok: boolean
  sentence: string
  /** Undefined: the node does not answer. */
  now: { left: bigint; perDay: bigint; ordersLeft: bigint } | undefined
  burned: { count: bigint; sun: bigint }
}

/** Of a delegation and its reclaim, as java-tron charges them: with the result they will have. */
export const ORDER_BYTES = 575n
const BLOCKS_PER_DAY = 28_800
/** It is read for pages and for scrapes, and changes slowly. */
const READ_MS = 60_000
/** The page must not wait for a node in trouble. */
const WAIT_MS_MAX = 1_000

type Deps = { chain: Chain; clock: Clock; delivery: Delivery; signing: Signing }
type Reading = NonNullable<Bandwidth['now']> & { burnPerOrder: bigint }

/** Each order costs a delegation and a reclaim, which burn TRX where the stake has no Bandwidth. */
export function createBandwidth({ chain, clock, delivery, signing }: Deps) {
  let last: { reading: Reading; readMs: number } | undefined
  let asked: Promise<Reading | undefined> | undefined

  async function read(): Promise<Reading> {
    const [owners, prices] = await Promise.all([
      signing.addresses('stake'),
      chain.node.getBandwidthPrices(),
    ])
    const resources = await Promise.all(owners.map((one) => chain.node.getAccountResource(one)))
    const reading = { left: 0n, perDay: 0n, ordersLeft: 0n }
    for (const resource of resources) {
      if (!resource) continue
      const { netLimit, netUsed, freeNetLimit, freeNetUsed } = resource
      // One transaction is paid from stake or from the free part, never from both.
      for (const left of [netLimit - netUsed, freeNetLimit - freeNetUsed]) {
        if (left <= 0n) continue
        reading.left += left
        reading.ordersLeft += left / ORDER_BYTES
      }
      reading.perDay += netLimit + freeNetLimit
    }
    const burnPerOrder = ORDER_BYTES * (prices.at(-1)?.sun ?? 0n)
    last = { reading: { ...reading, burnPerOrder }, readMs: clock.elapsedMs() }
    return last.reading
  }

  async function current(): Promise<Reading | undefined> {
    if (last && clock.elapsedMs() - last.readMs < READ_MS) return last.reading
    asked ??= read()
      .catch((error: unknown) => {
        if (!(error instanceof NodeTrouble)) throw error
        return undefined
      })
      .finally(() => {
        asked = undefined
      })
    return within<Reading | undefined>(WAIT_MS_MAX, asked, undefined)
  }

  return async (): Promise<Bandwidth> => {
    const [now, progress] = await Promise.all([current(), chain.progress()])
    const since = (progress?.number ?? 0) - BLOCKS_PER_DAY
    const burned = await delivery.outlook.burnedAfter(since)
    return { ok: (now?.ordersLeft ?? 0n) > 0n, sentence: sentenceOf(now, burned), now, burned }
  }
}

function sentenceOf(now: Reading | undefined, { count, sun }: Bandwidth['burned']): string {
  const cost =
    count === 0n ? 'Nothing' : `${exactTrx(formatTrx(sun))} TRX in ${counted(count, 'transaction')}`
  const past = `${cost} burned within a day.`
  if (!now) return `Not known: the node does not answer. ${past}`
  const { left, perDay, ordersLeft, burnPerOrder } = now
  const has = `${grouped(left)} of ${grouped(perDay)} bytes left, for ${counted(ordersLeft, 'more order')} now`
  return `${has}; each further one burns ${formatTrx(burnPerOrder)} TRX. ${past}`
}
