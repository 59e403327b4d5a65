import { toHex } from '@ergon/tron'
import type { Addresses } from '../../addresses/index.ts'
import type { Chain } from '../../chain/index.ts'
import { createApart, type Db, type Tx } from '../../db/index.ts'
import type { Deposits } from '../../deposits/index.ts'
import type { Events } from '../../events/index.ts'
import { assert, type Log, type Runtime, type Sun, sun } from '../../kernel/index.ts'
import type { Ledger } from '../../ledger/index.ts'
import type { Orders } from '../../orders/index.ts'
import type { Pricing } from '../../pricing/index.ts'
import type { Offer } from '../config.ts'
import { adminPause } from '../configs.sql.ts'
import { createDeals, type Deal } from '../deal.ts'
import { PRICE_KEPT_MS } from '../judge.ts'
import { RETRY_MS, type SkipReason } from '../payment.ts'
import { saleEvent, skipEvent } from './announce.ts'
import {
  delayPayment,
  findUndecided,
  holdPayment,
  lockActive,
  lockUndecided,
  pauseShort,
  readOffers,
  readUndecided,
  sellPayment,
  type UndecidedRow,
} from './decide.sql.ts'
import { skipPayment } from './store.ts'

type Deps = {
  db: Db
  runtime: Runtime
  log: Log
  addresses: Addresses
  chain: Chain
  deposits: Deposits
  events: Events
  ledger: Ledger
  orders: Orders
  pricing: Pricing
}

type Undecided = UndecidedRow & { offers: readonly Offer[] }
/** `wait`: the service cannot sell, or does not know the kind of an address yet. */
type Verdict = { skip: SkipReason } | { wait: true } | { sell: Deal }

const BATCH = 200
/** Accounts that are handled in parallel; payments of one account are decided one after the other. */
const ACCOUNTS_AT_ONCE = 6
const AGAIN_MS = 1_000

/**
 * Turns payments into sales, or skips them, each in its own transaction. The price counts at
 * the decision, the status at the transfer's block, the offer at that block or a better one of the
 * 90 seconds before, which the payer may have seen.
 */
export function createDeciding(deps: Deps) {
  const { db, runtime, log, orders } = deps
  const deals = createDeals(deps)
  const of = { loop: 'agent.decide', kind: 'payment' }
  const apart = createApart({ db, clock: runtime.clock, log }, of)

  async function decideDue(): Promise<number> {
    const due = await db.query(findUndecided, [runtime.clock.now(), BATCH, apart.waiting()])
    if (due.length === 0) return 0
    const ids = due.map(({ id }) => id)
    const undecided = await db.query(readUndecided, [ids])
    // Read second: if a block changes in between, the lock below notices the new time.
    const offers = await db.query(readOffers, [ids, PRICE_KEPT_MS])
    const offersOf = Map.groupBy(offers, ({ payment }) => payment)
    const rows = undecided.map((row) => ({ ...row, offers: offersOf.get(row.id) ?? [] }))
    const waiting = [...Map.groupBy(rows, ({ account }) => account).values()]
    const counts = await Promise.all(
      Array.from({ length: ACCOUNTS_AT_ONCE }, () => decideAccounts(waiting)),
    )
    return counts.reduce((sum, count) => sum + count, 0)
  }

  /** Takes one account after the other until none is left. */
  async function decideAccounts(waiting: Undecided[][]): Promise<number> {
    let decided = 0
    for (let payments = waiting.shift(); payments; payments = waiting.shift()) {
      const each = await apart.each(payments, ({ id }) => id, decide)
      decided += each.filter(Boolean).length
    }
    return decided
  }

  async function decide(payment: Undecided): Promise<boolean> {
    const verdict = await judge(payment)
    const sold = await db.transaction((tx) => settle(tx, payment, verdict))
    if (typeof sold === 'bigint') orders.sales.sold([sold])
    return sold !== undefined
  }

  async function judge(payment: Undecided): Promise<Verdict> {
    const held = heldDeal(payment)
    if (held) return sellable(held)
    const [current, ...earlier] = payment.offers
    if (!payment.active || !current) return { skip: 'paused' }
    const payer = toHex(payment.payer)
    if (payment.payer === payment.address || (await deps.addresses.isOurs(payer))) {
      return { skip: 'payer_is_own_address' }
    }
    const { account, amount } = payment
    const deal = deals.dealFor({ account, amount, offers: [current, ...earlier] })
    if (deal === 'below_base') return { skip: deal }
    const address = await deals.addressState(payment)
    if (address === 'contract') return { skip: 'address_is_contract' }
    const state = await deps.chain.receivers.stateOf(payer)
    if (state === 'contract') return { skip: 'payer_is_contract' }
    if (address !== 'able' || state !== 'able') return { wait: true }
    return deal === 'price_above_base' ? { skip: deal } : sellable(deal)
  }

  const sellable = (deal: Deal): Verdict => (deals.canSell(deal) ? { sell: deal } : { wait: true })

  /** Returns the Energy sold, true when skipped, undefined when undecided. */
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
    // Locked before the ledger account: if the balance is short they are paused below.
    const active = await tx.query(lockActive, [payment.account])
    const { account, payer, txid: trace } = payment
    const { energy: amount, price } = sell
    const whom = { account, receiver: payer, buyer: payer }
    const sold = await orders.sales.sell(tx, { ...whom, amount, price, source: 'agent', trace })
    if (sold.outcome === 'selling_off') return wait(tx, payment)
    // Its configurations stay as they are: unblocking restores them.
    if (sold.outcome === 'blocked') return skip(tx, payment, 'account_blocked')
    const now = runtime.clock.now()
    if (sold.outcome === 'insufficient') {
      if (await waitsOnlyForOwnRevenue(tx, payment, price)) return hold(tx, payment, sell)
      await tx.query(pauseShort, [active.map(({ id }) => id), now])
      return skip(tx, payment, 'insufficient_balance')
    }
    const deal = [sell.units, amount, price, sell.basePayment, sell.perUnit]
    await tx.query(sellPayment, [payment.id, ...deal, sold.order, now])
    await deps.events.emit(tx, [saleEvent(payment, { ...sell, order: sold.order })])
    return amount
  }

  /**
   * True when the payment's own revenue would pay for the sale, and only waits for its block to be
   * final. The ledger account is locked, so the revenue cannot be posted meanwhile.
   */
  async function waitsOnlyForOwnRevenue(
    tx: Tx,
    payment: UndecidedRow,
    price: Sun,
  ): Promise<boolean> {
    const revenue = await deps.deposits.waitingRevenue(tx, payment)
    if (revenue === 0n) return false
    const { balance, reserved, withheld } = await deps.ledger.lockBalance(tx, payment.account)
    return balance + revenue - reserved - withheld >= price
  }

  /** Postpones the payment until its block is final; then its ten minutes begin again. Keeps its price. */
  async function hold(tx: Tx, payment: UndecidedRow, deal: Deal): Promise<undefined> {
    const later = new Date(runtime.clock.now().getTime() + AGAIN_MS)
    const { units, energy, price, basePayment, perUnit } = deal
    const held = [units, energy, price, basePayment, perUnit]
    await tx.query(holdPayment, [payment.id, ...held, later])
  }

  async function wait(tx: Tx, payment: UndecidedRow): Promise<true | undefined> {
    const now = runtime.clock.now().getTime()
    if (now - payment.retriesSince.getTime() >= RETRY_MS) {
      return skip(tx, payment, 'service_unavailable')
    }
    await tx.query(delayPayment, [payment.id, new Date(now + AGAIN_MS)])
    return undefined
  }

  async function skip(tx: Tx, payment: UndecidedRow, reason: SkipReason): Promise<true> {
    const now = runtime.clock.now()
    // Its owner cannot resume it: a contract is refused when a configuration is made.
    if (reason === 'address_is_contract') await tx.query(adminPause, [payment.configId, now])
    await tx.query(skipPayment, [payment.id, reason, now])
    await deps.events.emit(tx, [skipEvent(payment, reason)])
    return true
  }

  return { decideDue }
}

/** The stored deal of a payment that waited for its revenue to be final. */
function heldDeal(payment: UndecidedRow): Deal | undefined {
  const { heldUnits, heldEnergy, heldCost, heldBase, heldPerUnit } = payment
  if (heldUnits === null || heldEnergy === null || heldCost === null) return undefined
  assert(
    heldBase !== null && heldPerUnit !== null,
    `payment ${payment.id} is held without an offer`,
  )
  const what = { units: heldUnits, energy: heldEnergy, price: sun(heldCost) }
  return { ...what, basePayment: heldBase, perUnit: heldPerUnit }
}
