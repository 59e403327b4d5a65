import { AgentApi } from './agent.ts'
import { AutoEnergyApi } from './autoenergy.ts'
import type { BatchMode, BatchPurchase, BatchResult } from './batch.ts'
import { ErgonError } from './errors.ts'
import { EventFeed, type EventPage, type FeedOptions } from './eventFeed.ts'
import { List, type Loaded } from './list.ts'
import { PublicApi } from './public.ts'
import {
  type CallOptions,
  createTransport,
  type ErgonOptions,
  type Transport,
} from './transport.ts'
import { poll, type WaitOptions } from './wait.ts'
import { WebhooksApi } from './webhooks.ts'
import type {
  Account,
  Bought,
  Deposit,
  DepositPage,
  Estimate,
  Order,
  OrderPage,
  Purchase,
  Quote,
  Transaction,
  TransactionPage,
} from './wire.ts'

/** The service asks clients to poll an order every 2 to 3 seconds, and deposits about every 5. */
const ORDER_MS = 2_500
const DEPOSIT_MS = 5_000
/** An order ends within 120 s; the rest is for delays. */
const ORDER_WAIT_MS = 180_000
const DEPOSIT_WAIT_MS = 600_000
const OLDER_DEPOSITS = 1_000

export type BuyOptions = CallOptions & {
  /** 1 to 128 printable ASCII characters. Default: a new one for each purchase. */
  idempotencyKey?: string
}

/** A client of the service. Fields are named as in the API; amounts in *_sun are bigint. */
export class Ergon {
  readonly autoenergy: AutoEnergyApi
  readonly webhooks: WebhooksApi
  readonly agent: AgentApi
  readonly public: PublicApi
  readonly #transport: Transport

  constructor(options: ErgonOptions) {
    this.#transport = createTransport(options)
    this.autoenergy = new AutoEnergyApi(this.#transport)
    this.webhooks = new WebhooksApi(this.#transport)
    this.agent = new AgentApi(this.#transport)
    this.public = new PublicApi(this.#transport)
  }

  account(options: CallOptions = {}): Promise<Account> {
    return this.#transport.call('GET', '/account', options)
  }

  /**
   * The cost of this much Energy now, and how much can be ordered at once. Takes what `buy` takes; a
   * number is the amount.
   */
  estimate(
    wanted: Pick<Purchase, 'resource_amount'> | number,
    options: CallOptions = {},
  ): Promise<Estimate> {
    return this.#transport.call('GET', '/estimate', { ...options, query: amountOf(wanted) })
  }

  /**
   * Holds the price of this much Energy for 60 seconds: `buy` with its id as `quote_id` costs exactly that. An
   * attempt whose answer was lost is not repeated, because open quotes are counted.
   */
  quote(
    wanted: Pick<Purchase, 'resource_amount'> | number,
    options: CallOptions = {},
  ): Promise<Quote> {
    return this.#transport.call('POST', '/quotes', { ...options, body: amountOf(wanted) })
  }

  /**
   * Buys Energy; the price is deducted at once. Without an answer, and after 429 or 5xx, the
   * request is retried with the same Idempotency-Key, so one call buys once. If it still throws,
   * pass `error.idempotencyKey` to ask again.
   */
  async buy(purchase: Purchase, options: BuyOptions = {}): Promise<Bought> {
    const { idempotencyKey = newKey(), signal } = options
    const headers = { 'idempotency-key': idempotencyKey }
    const ask = { signal, headers, body: purchase, isSafe: true }
    try {
      return await this.#transport.call<Bought>('POST', '/buy', ask)
    } catch (error) {
      if (error instanceof ErgonError) error.idempotencyKey = idempotencyKey
      throw error
    }
  }

  /**
   * Buys for up to 100 addresses: `each` by itself (the default), or `all` or none. A refusal of one purchase is its
   * result; nothing is thrown for it. Retried like `buy`. Where the answer to `all` was lost, its results are
   * `duplicate_request`: ask again with the same keys in mode `each` for the first answers.
   */
  buyBatch(
    batch: { purchases: readonly BatchPurchase[]; mode?: BatchMode },
    options: CallOptions = {},
  ): Promise<{ results: BatchResult[] }> {
    const { mode = 'each' } = batch
    const purchases = batch.purchases.map((one) => ({ idempotency_key: newKey(), ...one }))
    const ask = { ...options, body: { purchases, mode }, isSafe: true }
    return this.#transport.call('POST', '/buy/batch', ask)
  }

  order(id: string, options: CallOptions = {}): Promise<Order> {
    return this.#transport.call('GET', `/order/${encodeURIComponent(id)}`, options)
  }

  orders(
    filter: { receiver_address?: string; page_size?: number } = {},
    options: CallOptions = {},
  ): List<Order, OrderPage> {
    const { page_size = 100, receiver_address } = filter
    const load = async (number: number): Promise<Loaded<OrderPage, Order>> => {
      const ask = { ...options, query: { page: number, page_size, receiver_address } }
      const page = await this.#transport.call<OrderPage>('GET', '/orders', ask)
      const hasMore = page.orders.length > 0 && number * page_size < page.total
      return { page, items: page.orders, next: hasMore ? () => load(number + 1) : undefined }
    }
    return new List(() => load(1), idOf)
  }

  /** Every movement of the balance. */
  transactions(
    { limit = 100 }: { limit?: number } = {},
    options: CallOptions = {},
  ): List<Transaction, TransactionPage> {
    const load = async (cursor?: string): Promise<Loaded<TransactionPage, Transaction>> => {
      const ask = { ...options, query: { limit, cursor } }
      const page = await this.#transport.call<TransactionPage>('GET', '/transactions', ask)
      const { next_cursor, has_more, transactions: items } = page
      const next = has_more && next_cursor !== null ? () => load(next_cursor) : undefined
      return { page, items, next }
    }
    return new List(() => load(), idOf)
  }

  deposits(
    { limit = 100 }: { limit?: number } = {},
    options: CallOptions = {},
  ): List<Deposit, DepositPage> {
    const load = async (offset: number): Promise<Loaded<DepositPage, Deposit>> => {
      const ask = { ...options, query: { limit, offset } }
      const page = await this.#transport.call<DepositPage>('GET', '/deposits', ask)
      const next = page.has_more ? () => load(offset + limit) : undefined
      return { page, items: page.deposits, next }
    }
    return new List(
      () => load(0),
      ({ tx_hash }) => tx_hash,
    )
  }

  /** One page of the account's events of the last 30 days, the oldest first, after `cursor`. */
  events(
    { limit = 100, cursor }: { limit?: number; cursor?: string | undefined } = {},
    options: CallOptions = {},
  ): Promise<EventPage> {
    return this.#transport.call('GET', '/events', { ...options, query: { limit, cursor } })
  }

  /** Every event from a place on, and those that come. Its `cursor` is the place to store. */
  followEvents(options: FeedOptions = {}): EventFeed {
    const { signal } = options
    return new EventFeed((query) => this.events(query, { signal }), options)
  }

  /**
   * Polls every 2.5 s until the order is COMPLETED or FAILED, and returns it. Default limit 180 s.
   * `onProgress` is called after every poll.
   */
  waitForOrder(id: string, options: WaitOptions<Order> = {}): Promise<Order> {
    return poll({
      timeoutMs: ORDER_WAIT_MS,
      ...options,
      what: `order ${id}`,
      everyMs: ORDER_MS,
      look: () => this.order(id, { signal: options.signal }),
      isDone: ({ status }) => status === 'COMPLETED' || status === 'FAILED',
    })
  }

  /**
   * Polls every 5 s until the transfer is a spendable deposit (`credited_at`) or was reverted.
   * Default limit 10 min. The first poll reads the newest 1,000 deposits, the others the newest
   * 100.
   */
  waitForDeposit(txHash: string, options: WaitOptions<Deposit> = {}): Promise<Deposit> {
    const { signal } = options
    return poll({
      timeoutMs: DEPOSIT_WAIT_MS,
      ...options,
      what: `deposit ${txHash}`,
      everyMs: DEPOSIT_MS,
      look: async (isFirst) => {
        const newest = await this.deposits({}, { signal }).take(isFirst ? OLDER_DEPOSITS : 100)
        return newest.find(({ tx_hash }) => tx_hash === txHash)
      },
      isDone: ({ credited_at, status }) => credited_at !== null || status === 'reverted',
    })
  }
}

function amountOf(wanted: Pick<Purchase, 'resource_amount'> | number) {
  return { resource_amount: typeof wanted === 'number' ? wanted : wanted.resource_amount }
}

const idOf = ({ id }: { id: string }) => id

/** getRandomValues exists on every runtime; randomUUID does not on pages without https. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return `sdk-${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`
}
