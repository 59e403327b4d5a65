import { toHex } from '@ergon/tron'
import type { Addresses } from '../../addresses/index.ts'
import type { Chain } from '../../chain/index.ts'
import type { Db, Tx } from '../../db/index.ts'
import type { Events } from '../../events/index.ts'
import type { Doors, Log, Sun } from '../../kernel/index.ts'
import type { Orders } from '../../orders/index.ts'
import type { Pricing } from '../../pricing/index.ts'
import { unitsOf } from '../config.ts'
import { RETRY_MS, type SkipReason } from '../payment.ts'
import { saleEvent, skipEvent } from './announce.ts'
import {
  delayPayment,
  findUndecided,
  lockActive,
  lockUndecided,
  pauseShort,
  readUndecided,
  sellPayment,
  skipPayment,
  type UndecidedRow,
} from './store.ts'

type Deps = {
  db: Db
  doors: Doors
  log: Log
  addresses: Addresses
  chain: Chain
  events: Events
  orders: Orders
  pricing: Pricing
}

type Deal = { units: bigint; energy: bigint; price: Sun }
/** `wait`: the service cannot sell, or cannot tell yet who the payer is. */
type Verdict = { skip: SkipReason } | { wait: true } | { sell: Deal }

const BATCH = 200
/** Accounts whose payments are decided side by side; those of one account go one after the other. */
const LANES = 6
const AGAIN_MS = 1_000

/**
 * Turns payments into sales, or skips them, each in a transaction of its own. The price is that of
 * the moment of the decision, the configuration that of the moment of the transfer's block.
 */
export function createDeciding(deps: Deps) {
  const { db, doors, log, orders, pricing } = deps

  async function decideDue(): Promise<number> {
    const due = await db.query(findUndecided, [doors.clock.now(), BATCH])
    if (due.length === 0) return 0
    const rows = await db.query(readUndecided, [due.map(({ id }) => id)])
    const waiting = [...Map.groupBy(rows, ({ account }) => account).values()]
    const counts = await Promise.all(Array.from({ length: LANES }, () => runLane(waiting)))
    return counts.reduce((sum, count) => sum + count, 0)
  }

  /** Takes one account after the other until none is left. */
  async function runLane(waiting: UndecidedRow[][]): Promise<number> {
    let decided = 0
    for (let lane = waiting.shift(); lane; lane = waiting.shift()) {
      for (const payment of lane) if (await decide(payment)) decided += 1
    }
    return decided
  }

  /** One payment that cannot be decided must not stand in the way of the others. */
  async function decide(payment: UndecidedRow): Promise<boolean> {
    try {
      const verdict = await judge(payment)
      const sold = await db.transaction((tx) => settle(tx, payment, verdict))
      if (typeof sold === 'bigint') orders.sales.sold([sold])
      return sold !== undefined
    } catch (error) {
      log.error('payment_not_decided', { payment: payment.id, error })
      const later = new Date(doors.clock.now().getTime() + AGAIN_MS)
      await db.query(delayPayment, [payment.id, later])
      return false
    }
  }

  async function judge(payment: UndecidedRow): Promise<Verdict> {
    const { active, energyPerUnit, basePayment, maxUnits } = payment
    if (!active || energyPerUnit === null || basePayment === null || maxUnits === null) {
      return { skip: 'paused' }
    }
    const payer = toHex(payment.payer)
    if (payment.payer === payment.address || (await deps.addresses.isOurs(payer))) {
      return { skip: 'payer_is_own_address' }
    }
    const units = unitsOf(payment.amount, { energyPerUnit, basePayment, maxUnits })
    if (units === 0n) return { skip: 'below_base' }
    const state = await deps.chain.receivers.stateOf(payer)
    if (state === 'contract') return { skip: 'payer_is_contract' }
    if (state !== 'able') return { wait: true }
    const energy = units * energyPerUnit
    const price = pricing.priceFor(payment.account, energy)
    // The client never pays more for a sale than its own price list asks for it.
    if (price > units * basePayment) return { skip: 'price_above_base' }
    return orders.sales.canSell(energy, price) ? { sell: { units, energy, price } } : { wait: true }
  }

  /** The Energy sold, true when it was skipped, undefined when nothing was decided. */
  async function settle(
    tx: Tx,
    payment: UndecidedRow,
    verdict: Verdict,
  ): Promise<bigint | true | undefined> {
    const [locked] = await tx.query(lockUndecided, [payment.id, payment.blockTime])
    if (!locked) return undefined
    if ('skip' in verdict) return skip(tx, payment, verdict.skip)
    if ('wait' in verdict) return wait(tx, payment)
    const { sell } = verdict
    // Locked before the ledger account is: a short balance pauses them in this transaction.
    const active = await tx.query(lockActive, [payment.account])
    const { account, payer, txid: trace } = payment
    const { energy: amount, price } = sell
    const whom = { account, receiver: payer, buyer: payer }
    const sold = await orders.sales.sell(tx, { ...whom, amount, price, source: 'agent', trace })
    if (sold.outcome === 'selling_off') return wait(tx, payment)
    const now = doors.clock.now()
    if (sold.outcome === 'insufficient') {
      await tx.query(pauseShort, [active.map(({ id }) => id), now])
      return skip(tx, payment, 'insufficient_balance')
    }
    await tx.query(sellPayment, [payment.id, sell.units, amount, price, sold.order, now])
    await deps.events.emit(tx, [saleEvent(payment, { ...sell, order: sold.order })])
    return amount
  }

  async function wait(tx: Tx, payment: UndecidedRow): Promise<true | undefined> {
    const now = doors.clock.now().getTime()
    if (now - payment.createdAt.getTime() >= RETRY_MS) {
      return skip(tx, payment, 'service_unavailable')
    }
    await tx.query(delayPayment, [payment.id, new Date(now + AGAIN_MS)])
    return undefined
  }

  async function skip(tx: Tx, payment: UndecidedRow, reason: SkipReason): Promise<true> {
    await tx.query(skipPayment, [payment.id, reason, doors.clock.now()])
    await deps.events.emit(tx, [skipEvent(payment, reason)])
    return true
  }

  return { decideDue }
}
