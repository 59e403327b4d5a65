import type { Refusal } from '@ergon/contract'
import type { Addresses } from '../addresses/index.ts'
import type { Db, Tx } from '../db/index.ts'
import type { Outcome, TakenBack } from '../delivery/index.ts'
import type { Events } from '../events/index.ts'
import { createLoop, type Loop, type Sun } from '../kernel/index.ts'
import type { Ledger } from '../ledger/index.ts'
import { createAnnounce, type OnFinal } from './announce.ts'
import { type Batches, createBatches } from './batch.ts'
import {
  type Answered,
  type BuyDeps,
  type Buyer,
  createBuy,
  createKeysInFlight,
  type Wish,
} from './buy.ts'
import { createBuyAll } from './buyAll.ts'
import { type Checkouts, createCheckouts } from './checkout.ts'
import { type Commissions, createCommissions } from './commissions.ts'
import { CHECKOUTS_TO_EXPIRE, ORDERS_TO_START } from './due.sql.ts'
import { createFolding } from './fold.ts'
import { createHoldPrice, type HoldPrice } from './holdPrice.ts'
import type { Order } from './order.ts'
import { createOrderAnswers, type OrderAnswers } from './orderAnswers.ts'
import { readCompleted, readSelling, writeSelling } from './orders.sql.ts'
import { type Bought, createPurchaseGroup } from './purchaseGroup.ts'
import { boundsOf, quoteRefusal } from './quote.ts'
import { createReadOrders, type OrderPage, type OrderQuery, type ReadOrders } from './readOrders.ts'
import { createReceiverRefusal, type ReceiverRefusal } from './receiver.ts'
import { type ReclaimCredit, readCredits } from './reclaimCredit.sql.ts'
import { createReclaimCredit } from './reclaimCredit.ts'
import { createSales, type Sales } from './sale.ts'
import { createSettle } from './settle.ts'
import { createStart } from './start.ts'
import { createTransferCost } from './transferCost.ts'
import { createTransferDoctor, type TransferDoctor } from './transferDoctor.ts'

export type Orders = {
  buy(buyer: Buyer, wish: Wish): Promise<Answered>
  /** Several purchases of one client, each by itself or all together. */
  batches: Batches
  /** Holds the price of an amount for a minute. */
  holdPrice: HoldPrice
  /** Undefined when it does not exist or belongs to another account. */
  find(account: string, id: string): Promise<Order | undefined>
  /** The answer to `GET /order/{id}`. */
  answerTo: OrderAnswers
  /** A completed order of any account, for its public proof. */
  findCompleted(id: string): Promise<Order | undefined>
  /** For operators: any account's order, a search over all accounts, the orders that wait to start, and counts. */
  findAny: ReadOrders['findAny']
  search: ReadOrders['search']
  pending: ReadOrders['pending']
  countSince: ReadOrders['countSince']
  /** Newest first, with the count of all that match. */
  list(account: string, query: OrderQuery): Promise<OrderPage>
  /** States of the newest orders of these accounts, for live pages. */
  recentStates: ReadOrders['recentStates']
  /** Energy of completed orders by UTC day. */
  outcomesByDay: ReadOrders['outcomesByDay']
  findOwn: ReadOrders['findOwn']
  salesByHour: ReadOrders['salesByHour']
  /** What clients get of the orders of those who signed up through them. */
  commissions: Commissions
  /** The bounds of a client's orders. */
  boundsOf(account: string): { minAmount: bigint; maxAmount: bigint }
  soldBetween: ReadOrders['soldBetween']
  buyers: ReadOrders['buyers']
  /** Why Energy cannot go to an address; undefined when it can. */
  receiverRefusal: ReceiverRefusal
  /** Number and Energy of the orders completed between two times. */
  completed(
    tx: Tx,
    account: string,
    from: Date,
    to: Date,
  ): Promise<{ orders: bigint; energy: bigint }>
  /** What sending a token needs and costs, simulated on the chain. */
  transferCost: ReturnType<typeof createTransferCost>
  /** Why a transfer failed or burned TRX, from its receipt. */
  diagnoseTransfer: TransferDoctor
  /** Until when the Energy of an order can be used; null while none is delegated. */
  usableUntil(order: Order): Promise<Date | null>
  openCheckout: Checkouts['open']
  findCheckout: Checkouts['find']
  /** What a purchase of this amount would be refused for now. From memory. */
  quoteRefusal(amount: bigint, price: Sun): Refusal | undefined
  /** For rooms that resell Energy in their own transactions. */
  sales: Sales
  /** Participant of deposits: TRX that pays a checkout. */
  onDeposits: Checkouts['onDeposits']
  /** Participant of delivery: the outcomes of requests that orders made. */
  onOutcome(tx: Tx, outcomes: readonly Outcome[]): Promise<void>
  /** Participant of delivery: Energy of completed orders that its seller took back. */
  onTakenBack(tx: Tx, taken: readonly TakenBack[]): Promise<void>
  /** What was given back of the price of an order, oldest first. */
  creditsOf(id: string): Promise<ReclaimCredit[]>
  selling(by?: Tx): Promise<{ enabled: boolean; reason: string | null }>
  setSelling(enabled: boolean, reason: string | null): Promise<void>
  loops: Loop[]
}

type Deps = Omit<BuyDeps, 'purchases' | 'buyAll' | 'delivery' | 'receiverRefusal'> & {
  addresses: Addresses
  delivery: () => BuyDeps['delivery']
  /** For purchases that wait for an account, with as many connections as groups may wait; absent: `db`. */
  waitingDb?: Db | undefined
  ledger: Ledger
  events: Events
  onFinal: readonly OnFinal[]
  onBought?: ((bought: Bought) => void) | undefined
}

export function createOrders(given: Deps): Orders {
  const { db, runtime, log } = given
  const { clock } = runtime
  const folding = createFolding({ db, clock, log })
  const startPending = createStart(given)
  const start = createLoop({
    name: 'orders.start',
    everyMs: 250,
    due: ORDERS_TO_START,
    log,
    async work() {
      const started = await startPending()
      if (started.length > 0) given.delivery().wake()
      folding.note(started.map(({ account }) => account))
      return started.length
    },
  })
  const making = {
    db,
    clock,
    ids: runtime.ids,
    onAccepted: () => start.wake(),
    onBought: given.onBought,
  }
  const purchases = createPurchaseGroup({ ...making, log, waitingDb: given.waitingDb ?? db })
  const deps: BuyDeps = {
    ...given,
    purchases,
    buyAll: createBuyAll(making),
    receiverRefusal: createReceiverRefusal(given),
    get delivery() {
      return given.delivery()
    },
  }
  const keys = createKeysInFlight()
  const commissions = createCommissions({ db, clock, log, ledger: given.ledger })
  const onFinal = [...given.onFinal, commissions.onFinal]
  const announce = createAnnounce({ ...given, onFinal })
  const reads = createReadOrders(db)
  const checkouts = createCheckouts(deps, { announce, find: reads.find })
  const expire = createLoop({
    name: 'orders.expireCheckouts',
    everyMs: 1_000,
    due: CHECKOUTS_TO_EXPIRE,
    log,
    async work() {
      const accounts = await checkouts.expire()
      folding.note(accounts)
      return accounts.length
    },
  })
  const selling = async (by: Pick<Db, 'query'> = db) => (await by.query(readSelling))[0]!
  return {
    buy: createBuy(deps, keys),
    batches: createBatches(deps, keys),
    holdPrice: createHoldPrice(deps, async () => (await selling()).enabled),
    commissions,
    boundsOf: (account) => boundsOf(given, account),
    receiverRefusal: deps.receiverRefusal,
    ...reads,
    answerTo: createOrderAnswers(db, reads),
    completed: async (tx, account, from, to) =>
      (await tx.query(readCompleted, [account, from, to]))[0]!,
    transferCost: createTransferCost(given),
    diagnoseTransfer: createTransferDoctor({ ...given, clock }),
    usableUntil: ({ txids }) => given.delivery().usableUntil(txids),
    openCheckout: checkouts.open,
    findCheckout: checkouts.find,
    quoteRefusal: (amount, price) => quoteRefusal(deps, amount, price),
    sales: createSales(deps, start.wake),
    onDeposits: checkouts.onDeposits,
    onOutcome: createSettle({ ...given, announce }),
    onTakenBack: createReclaimCredit(given),
    creditsOf: (id) => db.query(readCredits, [id]),
    selling,
    setSelling: async (enabled, reason) => {
      await db.query(writeSelling, [enabled, reason])
    },
    loops: [commissions.loop, start, expire, folding.loop],
  }
}
