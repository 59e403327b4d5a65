import { isRefusal, type Refusal, refuse, Verbatim } from '@ergon/contract'
import { wasNeverSent } from '../db/index.ts'
import {
  type Answered,
  answer,
  type BuyDeps,
  type Buyer,
  fromRow,
  type KeysInFlight,
  lookUp,
  type Prepared,
  prepare,
  type Wish,
} from './buy.ts'
import type { BuyRow } from './purchaseGroup.sql.ts'
import { sellingOff } from './quote.ts'

/** One purchase of a batch; every one has a key. */
export type Wanted = { buyer: Buyer; wish: Wish }

/** Purchases of one account; the answers are in their order. */
export type Batches = Record<'each' | 'all', (wanted: readonly Wanted[]) => Promise<Answered[]>>

const USED =
  'This Idempotency-Key was used already, and a batch in mode all replays nothing. ' +
  'If you lost the answer of this batch, send it again in mode each.'

export function createBatches(deps: BuyDeps, keys: KeysInFlight): Batches {
  /** As if each came alone, in this order: the first ones that the balance can pay are bought. */
  async function each(wanted: readonly Wanted[]): Promise<Answered[]> {
    const ready = prepareAll(deps, wanted)
    // A key that comes again waits for its first purchase, and replays it.
    const last = new Map<string, Promise<Answered>>()
    const buyNth = async (nth: number, before: Promise<Answered> | undefined) => {
      const prepared = await ready
      await before
      const { buyer } = wanted[nth]!
      const end = keys.begin(buyer)
      if (isRefusal(end)) {
        prepared[nth]!.taken?.putBack()
        return end
      }
      return answer(deps, buyer, prepared[nth]!).finally(end)
    }
    return Promise.all(
      wanted.map(({ buyer: { key = '' } }, nth) => {
        const answered = buyNth(nth, last.get(key))
        last.set(key, answered)
        return answered
      }),
    )
  }

  /** One transaction: if one is refused none is made. */
  async function all(wanted: readonly Wanted[]): Promise<Answered[]> {
    const begun = wanted.map(({ buyer }) => keys.begin(buyer))
    try {
      const prepared = await prepareAll(deps, wanted)
      for (const [nth, end] of begun.entries()) {
        if (isRefusal(end)) refuseWith(prepared[nth]!, end)
      }
      return await makeAll(deps, prepared)
    } finally {
      for (const end of begun) if (!isRefusal(end)) end()
    }
  }

  return { each, all }
}

/** All of them, or none: Energy that nobody puts back would be missing from the offers for ever. */
async function prepareAll(deps: BuyDeps, wanted: readonly Wanted[]): Promise<Prepared[]> {
  const preparing = wanted.map(({ buyer, wish }) => prepare(deps, buyer, wish))
  const ended = await Promise.allSettled(preparing)
  const failed = ended.find(({ status }) => status === 'rejected')
  if (!failed) return Promise.all(preparing)
  for (const one of ended) if (one.status === 'fulfilled') one.value.taken?.putBack()
  throw (failed as PromiseRejectedResult).reason
}

/** A key that is in flight or no key at all: it is not looked up. */
function refuseWith(prepared: Prepared, refusal: Refusal) {
  prepared.refusal = refusal
  Object.assign(prepared.purchase, { key: undefined, quote: undefined, refused: true })
}

async function makeAll(deps: BuyDeps, prepared: readonly Prepared[]): Promise<Answered[]> {
  const purchases = prepared.map(({ purchase }) => purchase)
  const rows = await deps.buyAll(purchases).catch((error): Promise<(BuyRow | Refusal)[]> => {
    if (wasNeverSent(error)) return Promise.resolve(purchases.map(sellingOff))
    deps.log.error('purchase_outcome_unknown', { orders: purchases.map(({ id }) => id), error })
    return Promise.all(purchases.map((one) => lookUp(deps, one)))
  })
  const isMade = rows.every((row) => !isRefusal(row) && row.outcome === 'accepted')
  // While the outcome is unknown the Energy stays subtracted until the next offer.
  const isUnknown = rows.some((row) => isRefusal(row) && row.refused === 'internal_error')
  for (const { taken } of prepared) {
    if (isMade || isUnknown) taken?.keep()
    else taken?.putBack()
  }
  return rows.map((row, nth) => {
    if (isRefusal(row)) return row
    // Where the outcome had to be looked up, an accepted one was found: it was made, and so were the others.
    const wasMade = row.outcome === 'accepted' && (isMade || isUnknown)
    if (wasMade) return new Verbatim(row.response!)
    if (row.outcome === 'accepted') return refuse('batch_refused')
    if (row.outcome === 'replayed') return refuse('duplicate_request', { message: USED })
    return fromRow(row, purchases[nth]!, prepared[nth]!.refusal)
  })
}
