import type { CallOptions, Transport } from './transport.ts'
import type { PayCheck, PayPage, Pricing } from './wire.ts'

/** What needs no key. */
export class PublicApi {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** List prices, before any discount. */
  pricing(options: CallOptions = {}): Promise<Pricing> {
    return this.#transport.call('GET', '/public/pricing', options)
  }

  /** What a pay page sells. */
  payPage(publicId: string, options: CallOptions = {}): Promise<PayPage> {
    return this.#transport.call('GET', `/pay/${encodeURIComponent(publicId)}`, options)
  }

  /** Whether an address could receive Energy from this pay page. */
  payCheck(publicId: string, address: string, options: CallOptions = {}): Promise<PayCheck> {
    const ask = { ...options, query: { address } }
    return this.#transport.call('GET', `/pay/${encodeURIComponent(publicId)}/check`, ask)
  }
}
