import { List, type Loaded } from './list.ts'
import type { CallOptions, Transport } from './transport.ts'
import type {
  Billing,
  BillingItem,
  NewSubscription,
  Reactivation,
  Subscription,
  Usage,
  UsageItem,
} from './wire.ts'

/** `'id' in body` tells a subscription from a refusal, which has `error`. */
export type SubscriptionResult = {
  status: number
  body: Subscription | { error: string; message: string }
}

/** Addresses that always have Energy; each of their contract calls is billed by its size. */
export class AutoEnergyApi {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  subscribe(subscription: NewSubscription, options: CallOptions = {}): Promise<Subscription> {
    return this.#transport.call('POST', BASE, { ...options, body: subscription })
  }

  /**
   * Up to 100 addresses, each by itself: where the balance ends, the first ones are covered. A refusal of one address
   * is its result; nothing is thrown for it. After a lost answer ask again: addresses that are covered are 409.
   */
  subscribeBatch(
    subscriptions: readonly NewSubscription[],
    options: CallOptions = {},
  ): Promise<{ results: SubscriptionResult[] }> {
    return this.#transport.call('POST', `${BASE}/batch`, { ...options, body: { subscriptions } })
  }

  list(options: CallOptions = {}): Promise<Subscription[]> {
    return this.#transport.call('GET', BASE, options)
  }

  get(address: string, options: CallOptions = {}): Promise<Subscription> {
    return this.#transport.call('GET', pathOf(address), options)
  }

  /** Covered transfers. */
  usage(address: string, options: CallOptions = {}): List<UsageItem, Usage> {
    const idOf = ({ used_tx_id }: UsageItem) => used_tx_id
    return new List(() => this.#page(`${pathOf(address)}/usage`, 0, options), idOf)
  }

  /** Charges and refunds. They have no id, so a new one may make one appear on two pages. */
  billing(address: string, options: CallOptions = {}): List<BillingItem, Billing> {
    return new List(() => this.#page(`${pathOf(address)}/billing`, 0, options))
  }

  close(address: string, options: CallOptions = {}): Promise<Subscription> {
    return this.#transport.call('POST', `${pathOf(address)}/close`, options)
  }

  /**
   * The signature proves ownership of a barred address: others used its Energy under another
   * account. A budget that is left out stays as it was.
   */
  reactivate(address: string, again: CallOptions & Reactivation = {}): Promise<Subscription> {
    const { ownership_signature, daily_budget_trx, monthly_budget_trx, ...options } = again
    const body = { ownership_signature, daily_budget_trx, monthly_budget_trx }
    return this.#transport.call('POST', `${pathOf(address)}/reactivate`, { ...options, body })
  }

  /** Removes a closed subscription from the list. */
  delete(address: string, options: CallOptions = {}): Promise<void> {
    return this.#transport.call('DELETE', pathOf(address), options)
  }

  async #page<Item>(
    path: string,
    offset: number,
    options: CallOptions,
  ): Promise<Loaded<Item[], Item>> {
    const ask = { ...options, query: { limit: PAGE, offset } }
    const items = await this.#transport.call<Item[]>('GET', path, ask)
    const next = () => this.#page<Item>(path, offset + PAGE, options)
    // These answers are plain arrays: after a full one there may be another page.
    return { page: items, items, next: items.length === PAGE ? next : undefined }
  }
}

const BASE = '/autoenergy/subscriptions'
const PAGE = 100

function pathOf(address: string): string {
  return `${BASE}/${encodeURIComponent(address)}`
}
