import { List, type Loaded } from './list.ts'
import type { CallOptions, Transport } from './transport.ts'
import type {
  AgentConfig,
  AgentConfigChange,
  AgentConfigs,
  AgentPayment,
  AgentPaymentPage,
  AgentQuote,
  AgentSummary,
  NewAgentConfig,
} from './wire.ts'

export type AgentPaymentFilter = {
  config_id?: string
  status?: 'processing' | 'delivering' | 'completed' | 'failed' | 'skipped'
  page_size?: number
}

/** Resale: configurations with a pay page, and the payments that arrived at them. */
export class AgentApi {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  summary(options: CallOptions = {}): Promise<AgentSummary> {
    return this.#transport.call('GET', '/agent/summary', options)
  }

  /** The cost of this much Energy for you now, and in the cheapest and the most expensive hour. */
  quote(wanted: { energy: number } | number, options: CallOptions = {}): Promise<AgentQuote> {
    const energy = typeof wanted === 'number' ? wanted : wanted.energy
    return this.#transport.call('GET', '/agent/quote', { ...options, query: { energy } })
  }

  async configs(options: CallOptions = {}): Promise<AgentConfig[]> {
    const { items } = await this.#transport.call<AgentConfigs>('GET', '/agent/configs', options)
    return items
  }

  create(config: NewAgentConfig, options: CallOptions = {}): Promise<AgentConfig> {
    return this.#transport.call('POST', '/agent/configs', { ...options, body: config })
  }

  update(id: string, change: AgentConfigChange, options: CallOptions = {}): Promise<AgentConfig> {
    const ask = { ...options, body: change, isSafe: true }
    return this.#transport.call('PATCH', pathOf(id), ask)
  }

  pause(id: string, options: CallOptions = {}): Promise<AgentConfig> {
    return this.#transport.call('POST', `${pathOf(id)}/pause`, { ...options, isSafe: true })
  }

  resume(id: string, options: CallOptions = {}): Promise<AgentConfig> {
    return this.#transport.call('POST', `${pathOf(id)}/resume`, { ...options, isSafe: true })
  }

  delete(id: string, options: CallOptions = {}): Promise<void> {
    return this.#transport.call('DELETE', pathOf(id), options)
  }

  /** Sells a payment that was skipped, at the cost of now. A second call is refused: `not_deliverable`. */
  deliver(paymentId: string, options: CallOptions = {}): Promise<AgentPayment> {
    const path = `/agent/payments/${encodeURIComponent(paymentId)}/deliver`
    return this.#transport.call('POST', path, options)
  }

  payments(
    { page_size = 100, ...filter }: AgentPaymentFilter = {},
    options: CallOptions = {},
  ): List<AgentPayment, AgentPaymentPage> {
    const load = async (number: number): Promise<Loaded<AgentPaymentPage, AgentPayment>> => {
      const query = { ...filter, page: number, page_size }
      const ask = { ...options, query }
      const page = await this.#transport.call<AgentPaymentPage>('GET', '/agent/payments', ask)
      return { page, items: page.items, next: page.has_more ? () => load(number + 1) : undefined }
    }
    return new List(
      () => load(1),
      ({ id }) => id,
    )
  }
}

function pathOf(id: string): string {
  return `/agent/configs/${encodeURIComponent(id)}`
}
