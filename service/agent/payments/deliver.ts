import { isRefusal, type Refusal, refuse } from '@ergon/contract'
import { toHex } from '@ergon/tron'
import type { Addresses } from '../../addresses/index.ts'
import type { Chain } from '../../chain/index.ts'
import { type Db, isTimeout, type Tx } from '../../db/index.ts'
import type { Events } from '../../events/index.ts'
import { assert, createTurns, isUuid, type Runtime } from '../../kernel/index.ts'
import { accountBlocked, type Ledger } from '../../ledger/index.ts'
import { accountLocked, type Orders } from '../../orders/index.ts'
import type { Pricing } from '../../pricing/index.ts'
import { bestGiven, type Given, PRICE_KEPT_MS } from '../judge.ts'
import type { Payment, SkipReason } from '../payment.ts'
import { isSellable } from '../rules.ts'
import { saleEvent } from './announce.ts'
import { readOffers } from './decide.sql.ts'
import {
  type DeliverableRow,
  deliverPayment,
  findDeliverable,
  findOwnPayment,
  lockDeliverable,
  waitTwoSeconds,
} from './deliver.sql.ts'

export type Deliver = (account: string, payment: string) => Promise<Payment | Refusal>

type Deps = {
  db: Db
  runtime: Runtime
  addresses: Addresses
  chain: Chain
  events: Events
  ledger: Ledger
  orders: Orders
  pricing: Pricing
}

/** A client can do something about these; the others are facts of the transfer. */
const REASONS: readonly SkipReason[] = [
  'insufficient_balance',
  'paused',
  'price_above_base',
  'service_unavailable',
]
const DAYS_MAX = 30
const DAY_MS = 86_400_000
const OFF = 'Energy purchasing is temporarily unavailable. Nothing was charged; try again shortly.'
const UNKNOWN_PAYER =
  'The network did not answer whether the payer can receive Energy. Nothing was charged; try again shortly.'

/**
 * Sells a payment that was skipped, because its client asks for it: with the units that the configuration gave at the
 * transfer, at the price of now, which the client accepts by asking. One transaction, under the lock of the payment.
 */
export function createDeliver(deps: Deps): Deliver {
  const { db, runtime, orders, pricing } = deps

  const wanted = (account: string, id: string) => {
    const since = new Date(runtime.clock.now().getTime() - DAYS_MAX * DAY_MS)
    return [id, account, REASONS, since]
  }

  /** What the payment buys by the offers of its transfer; undefined where nothing that can be ordered. */
  async function givenFor(payment: DeliverableRow): Promise<Given | undefined> {
    const [current, ...earlier] = await db.query(readOffers, [[payment.id], PRICE_KEPT_MS])
    if (!current) return undefined
    const canBeSold = ({ energy }: Given) => isSellable(pricing, energy)
    const given = bestGiven(payment.amount, [current, ...earlier], canBeSold)
    return given.units > 0n && canBeSold(given) ? given : undefined
  }

  /** Skipped before it was looked at who paid: a paused configuration asks nobody. */
  async function payerRefusal(payment: DeliverableRow): Promise<Refusal | undefined> {
    const payer = toHex(payment.payer)
    const isOurs = payment.payer === payment.address || (await deps.addresses.isOurs(payer))
    if (isOurs) return notDeliverable()
    const state = await deps.chain.receivers.stateOf(payer)
    if (state === 'contract') return notDeliverable()
    return state === 'able' ? undefined : refuse('service_unavailable', { message: UNKNOWN_PAYER })
  }

  async function sell(tx: Tx, account: string, id: string, given: Given): Promise<Refusal | true> {
    await tx.query(waitTwoSeconds)
    const [payment] = await tx.query(lockDeliverable, wanted(account, id))
    if (!payment) return notDeliverable()
    const { units, energy, offer } = given
    const price = pricing.priceFor(account, energy)
    const whom = { account, receiver: payment.payer, buyer: payment.payer }
    const sale = { ...whom, amount: energy, price, source: 'agent' as const, trace: payment.txid }
    const sold = await orders.sales.sell(tx, sale)
    if (sold.outcome === 'selling_off') return refuse('service_unavailable', { message: OFF })
    if (sold.outcome === 'blocked') {
      return accountBlocked((await deps.ledger.blocks.of(account, tx))?.reason ?? '')
    }
    if (sold.outcome === 'insufficient') {
      const funds = await deps.ledger.lockBalance(tx, account)
      const left = funds.overdrawn ? 0n : funds.balance - funds.reserved - funds.withheld
      const current_balance = left > 0n ? left : 0n
      return refuse('insufficient_balance', { current_balance, required_amount: price })
    }
    const deal = [units, energy, price, offer.basePayment, offer.energyPerUnit]
    const now = runtime.clock.now()
    const changed = await tx.query(deliverPayment, [id, ...deal, sold.order, now])
    assert(changed.length === 1, 'a locked payment changed')
    const { order } = sold
    await deps.events.emit(tx, [saleEvent(payment, { units, energy, price, order })])
    return true
  }

  /** One at a time in this process: each is compared with what the one before it has left of the offers. */
  const turns = createTurns(1)

  return (account, id) => turns('', () => deliver(account, id))

  async function deliver(account: string, id: string): Promise<Payment | Refusal> {
    const [own] = isUuid(id) ? await db.query(findOwnPayment, [id, account]) : []
    if (!own) return refuse('not_found', { message: NO_PAYMENT })
    const [payment] = await db.query(findDeliverable, wanted(account, id))
    const given = payment && (await givenFor(payment))
    if (!payment || !given) return notDeliverable()
    const refusal = await payerRefusal(payment)
    if (refusal) return refusal
    const unsold = orders.quoteRefusal(given.energy, pricing.priceFor(account, given.energy))
    if (unsold) return unsold
    const sold = await db
      .transaction((tx) => sell(tx, account, id, given))
      .catch((error) => {
        if (isTimeout(error)) return accountLocked()
        throw error
      })
    if (isRefusal(sold)) return sold
    orders.sales.sold([given.energy])
    const [delivering] = await db.query(findOwnPayment, [id, account])
    return delivering!
  }
}

const NO_PAYMENT = 'No such payment. GET /agent/payments lists them.'

function notDeliverable(): Refusal {
  return refuse('not_deliverable')
}
