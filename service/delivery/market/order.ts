import { toHex } from '@ergon/tron'
import { type Apart, type Claim, createApart, type Db } from '../../db/index.ts'
import { type Log, type Runtime, within } from '../../kernel/index.ts'
import type { MarketOrder, Marketplace, Placed, Providers } from '../../providers/index.ts'
import type { Ending } from '../ending/end.ts'
import { lockOpenParts, setParts } from '../placing/store.ts'
import { findOpenPart, insertCall, recordAccepted, recordLost } from './order.sql.ts'
import { claimTransactions } from './store.ts'

/** Longer than any adapter's timeout; after it the resolver owns the attempt. */
export const CALL_MS_MAX = 20_000
/** A call that was delayed longer is not made: the resolver may already ask about the attempt. */
const START_MS_MAX = 5_000
const BATCH = 50

type Call = { id: string; partId: string; requestId: string; order: MarketOrder }

/**
 * Buys parts at one marketplace. It commits the attempt first and then calls once. If the worker dies
 * in between, only the resolver handles the attempt, and the order is never sent again.
 */
export function createOrdering(deps: {
  db: Db
  runtime: Runtime
  log: Log
  providers: Providers
  ending: Ending
}) {
  const { db, runtime, log, providers, ending } = deps
  const aparts = new Map<string, Apart>()

  function apartOf({ name }: Marketplace): Apart {
    const of = { loop: `delivery.order.${name}`, kind: 'part' }
    const apart = aparts.get(name) ?? createApart({ db, clock: runtime.clock, log }, of)
    aparts.set(name, apart)
    return apart
  }

  /** Writes the attempt of one open part; undefined when there is none. */
  async function write(
    market: Marketplace,
    { most, skip, took }: Claim,
  ): Promise<Call | undefined> {
    return db.transaction(async (tx) => {
      const values = [most, runtime.clock.now(), market.name, [], skip]
      const [part] = await tx.query(lockOpenParts, values)
      if (!part) return undefined
      took([part.id])
      const id = runtime.ids.next()
      const { energy, unitPrice, cost, requestId } = part
      const receiver = toHex(part.receiver)
      await tx.query(insertCall, [
        id,
        part.id,
        market.name,
        energy,
        unitPrice,
        cost,
        receiver,
        CALL_MS_MAX,
        runtime.clock.now(),
      ])
      await tx.query(setParts, [[part.id], ['trying'], [null]])
      const writtenAt = new Date(runtime.clock.wallMs())
      const order = { reference: id, receiver, energy, unitPrice, writtenAt }
      return { id, partId: part.id, requestId, order }
    })
  }

  async function call(market: Marketplace, { order }: Call): Promise<Placed> {
    const lost: Placed = { state: 'unknown', reason: 'no answer in time' }
    try {
      return await within(CALL_MS_MAX, market.place(order), lost)
    } catch (error) {
      log.error('marketplace_threw', { provider: market.name, error })
      return { state: 'unknown', reason: 'the adapter failed' }
    }
  }

  async function record(market: Marketplace, made: Call, answer: Placed): Promise<void> {
    if (answer.state === 'unknown') {
      await db.query(recordLost, [made.id, answer.reason])
      await providers.noteOutcome(market.name, false)
    } else if (answer.state === 'accepted') {
      await db.transaction(async (tx) => {
        await tx.query(recordAccepted, [made.id, answer.orderId, answer.cost ?? null])
        await tx.query(claimTransactions, [answer.txids, made.id])
      })
    } else {
      const { reason } = answer
      const verdict = { state: 'refused' as const, reason, delegated: 0n }
      await db.transaction((tx) => ending.end(tx, [{ attempt: made, verdict }]))
      await providers.noteOutcome(market.name, false)
    }
  }

  async function buyOne(market: Marketplace, made: Call, writtenMs: number): Promise<void> {
    await runtime.step(`call ${market.name}`)
    // Check right before the call: if this worker was suspended, the resolver has taken over.
    if (runtime.clock.elapsedMs() - writtenMs > START_MS_MAX) return
    const answer = await call(market, made)
    await runtime.step(`answer of ${market.name}`)
    await record(market, made, answer)
  }

  return {
    /** Places parts concurrently, up to the marketplace's limit, and returns their number. */
    async orderOpenParts(market: Marketplace): Promise<number> {
      const calls: Promise<void>[] = []
      const apart = apartOf(market)
      while (calls.length < market.callsPerSecond) {
        const writtenMs = runtime.clock.elapsedMs()
        const made = await writeInTurn(market, apart)
        if (made === 'aside') continue
        if (!made) break
        // After an error the resolver handles the attempt; the other calls continue.
        const lost = (error: unknown) => log.error('answer_lost', { provider: market.name, error })
        calls.push(buyOne(market, made, writtenMs).catch(lost))
      }
      await Promise.all(calls)
      return calls.length
    },
  }

  /** Uses a call of the rate limit only when there is a part to place. */
  async function writeInTurn(
    market: Marketplace,
    apart: Apart,
  ): Promise<Call | 'aside' | undefined> {
    const values = [market.name, runtime.clock.now(), apart.waiting()]
    const waiting = await db.query(findOpenPart, values)
    if (waiting.length === 0 || !(await providers.mayCall(market.name, 'order'))) return undefined
    if (!(await providers.mayOrder(market.name))) return refuseAll(market, apart)
    const made = await apart.claim(1, (claim) => write(market, claim))
    return made.length > 0 ? made[0] : 'aside'
  }

  /** The marketplace was switched off or its circuit opened after planning: its parts go to other providers. */
  async function refuseAll(market: Marketplace, apart: Apart): Promise<undefined> {
    await apart.claim(BATCH, ({ most, skip, took }) =>
      db.transaction(async (tx) => {
        const values = [most, runtime.clock.now(), market.name, [], skip]
        const parts = await tx.query(lockOpenParts, values)
        const reason = `${market.name} takes no orders now`
        const ids = parts.map(({ id }) => id)
        took(ids)
        await tx.query(setParts, [ids, ids.map(() => 'failed'), ids.map(() => reason)])
      }),
    )
  }
}
