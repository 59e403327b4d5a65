import { type Apart, type Claim, createApart, type Db } from '../../db/index.ts'
import { type Log, type Runtime, within } from '../../kernel/index.ts'
import type { Marketplace, Providers, Seen } from '../../providers/index.ts'
import { insertUndecided } from '../undecided/store.ts'
import { CALL_MS_MAX } from './order.ts'
import {
  claimedByOthers,
  claimLooks,
  endGiveBack,
  findGiveBack,
  findLook,
  type LookRow,
  lockGiveBack,
  readOtherOrders,
  recordNever,
  recordResponse,
  recordWord,
} from './resolve.sql.ts'
import { claimTransactions } from './store.ts'

const BATCH = 10

/**
 * Asks a marketplace for the state of our orders and stores its answer. The chain decides whether the
 * answer is true.
 */
export function createResolving(deps: {
  db: Db
  runtime: Runtime
  log: Log
  providers: Providers
}) {
  const { db, runtime, log, providers } = deps
  const aparts = new Map<string, Apart>()

  function apartOf({ name }: Marketplace): Apart {
    const of = { loop: `delivery.resolve.${name}`, kind: 'attempt' }
    const apart = aparts.get(name) ?? createApart({ db, clock: runtime.clock, log }, of)
    aparts.set(name, apart)
    return apart
  }

  async function ask(market: Marketplace, attempt: LookRow): Promise<Seen> {
    const { id: reference, receiver, energy, unitPrice, orderId, wanted } = attempt
    const writtenAt = attempt.calledAt
    const lost: Seen = { state: 'unknown', reason: 'no answer in time' }
    const others =
      orderId === null ? await db.query(readOtherOrders, [market.name, writtenAt, reference]) : []
    const claimed = others.map((other) => other.orderId)
    const order = { reference, receiver, energy, unitPrice, writtenAt, orderId, claimed, wanted }
    try {
      return await within(CALL_MS_MAX, market.lookUp(order), lost)
    } catch (error) {
      log.error('marketplace_threw', { provider: market.name, error })
      return { state: 'unknown', reason: 'the adapter failed' }
    }
  }

  async function write(market: Marketplace, { id, orderId }: LookRow, seen: Seen): Promise<void> {
    switch (seen.state) {
      case 'pending':
        await db.query(recordWord, [id, 'pending', seen.orderId, null, 'pending'])
        return
      case 'delivered':
      case 'failed':
        await writeEnd(id, seen)
        return
      case 'never_seen':
        await db.query(recordNever, [id, CALL_MS_MAX + market.queueMs])
        return
      case 'ambiguous': {
        // It gave us an order id before; not finding it now does not make the order "never seen".
        if (orderId !== null) return
        const evidence = JSON.stringify({ order_ids: seen.orderIds })
        await undecided(id, 'several orders fit and none carries our reference', evidence)
        return
      }
      case 'unknown':
        await db.query(recordResponse, [id, seen.reason])
    }
  }

  async function writeEnd(id: string, seen: Extract<Seen, { txids: string[] }>): Promise<void> {
    const cost = seen.state === 'delivered' ? (seen.cost ?? null) : null
    const response = seen.state === 'failed' ? seen.reason : 'delivered'
    const others = await db.transaction(async (tx) => {
      await tx.query(recordWord, [id, seen.state, seen.orderId, cost, response])
      await tx.query(claimTransactions, [seen.txids, id])
      return tx.query(claimedByOthers, [seen.txids, id])
    })
    if (others.length === 0) return
    await undecided(id, 'it names a delegation of another order', JSON.stringify({ others }))
  }

  async function undecided(id: string, reason: string, evidence: string): Promise<void> {
    await db.query(insertUndecided, [id, reason, evidence, runtime.clock.now()])
    log.warn('delivery_undecided', { reason })
  }

  async function giveBack(market: Marketplace): Promise<void> {
    if (!market.reclaim) return
    const apart = apartOf(market)
    for (let given = 0; given < BATCH; given++) {
      const due = await db.query(findGiveBack, [market.name, apart.waiting()])
      if (due.length === 0 || !(await providers.mayCall(market.name, 'reclaim'))) return
      const [order] = await apart.claim(1, (claim) => claimGiveBack(market, claim))
      // Asked once, best effort: without it the delegation ends by itself after its hour.
      await (order && market.reclaim(order.orderId))?.catch((error) => {
        log.warn('not_given_back', { provider: market.name, error })
      })
    }
  }

  const claimGiveBack = (market: Marketplace, { most, skip, took }: Claim) =>
    db.transaction(async (tx) => {
      const [order] = await tx.query(lockGiveBack, [market.name, most, skip])
      if (!order) return undefined
      took([order.id])
      await tx.query(endGiveBack, [order.id])
      return order
    })

  return {
    /** Returns the number of attempts with a new answer. */
    async lookUp(market: Marketplace): Promise<number> {
      let asked = 0
      while (asked < BATCH) {
        // Check the rate limit first: a delayed look-up stays due.
        const [due] = await db.query(findLook, [market.name])
        if (!due || !(await providers.mayCall(market.name, due.known ? 'look' : 'search'))) break
        const [attempt] = await db.query(claimLooks, [market.name, 1])
        if (!attempt) break
        asked += 1
        await apartOf(market).alone(attempt.id, async () =>
          write(market, attempt, await ask(market, attempt)),
        )
      }
      // Last, because no client waits for it.
      await giveBack(market)
      return asked
    },
  }
}
