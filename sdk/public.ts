import type { CallOptions, Transport } from './transport.ts'
import type {
  DeliveryProof,
  PayCheck,
  PayPage,
  Pricing,
  Scorecard,
  ServiceStatus,
  TransferDiagnosis,
  TransferEnergy,
} from './wire.ts'

/** Endpoints without a key. */
export class PublicApi {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** List prices, before any discount. */
  pricing(options: CallOptions = {}): Promise<Pricing> {
    return this.#transport.call('GET', '/public/pricing', options)
  }

  /** The Energy that a transfer of a token (default USDT) needs, and its cost. */
  energy(
    transfer: { from: string; to: string; token?: string },
    options: CallOptions = {},
  ): Promise<TransferEnergy> {
    const { from, to, token } = transfer
    return this.#transport.call('GET', '/public/energy', { ...options, query: { from, to, token } })
  }

  /** The delegations of a completed order, to be checked on the chain. */
  proof(orderId: string, options: CallOptions = {}): Promise<DeliveryProof> {
    return this.#transport.call('GET', `/public/proof/${encodeURIComponent(orderId)}`, options)
  }

  /** How often, how fast and at which price each provider delivered. */
  scorecard(options: CallOptions = {}): Promise<Scorecard> {
    return this.#transport.call('GET', '/public/scorecard', options)
  }

  /** Components, incidents and the last 90 days; also while much else does not work. */
  status(options: CallOptions = {}): Promise<ServiceStatus> {
    return this.#transport.call('GET', '/public/status', options)
  }

  /** Why a transfer failed or burned TRX. */
  transfer(txid: string, options: CallOptions = {}): Promise<TransferDiagnosis> {
    return this.#transport.call('GET', `/public/transfers/${encodeURIComponent(txid)}`, options)
  }

  /** The offer of a pay page. */
  payPage(publicId: string, options: CallOptions = {}): Promise<PayPage> {
    return this.#transport.call('GET', `/pay/${encodeURIComponent(publicId)}`, options)
  }

  /** Whether an address can receive Energy from this pay page. */
  payCheck(publicId: string, address: string, options: CallOptions = {}): Promise<PayCheck> {
    const ask = { ...options, query: { address } }
    return this.#transport.call('GET', `/pay/${encodeURIComponent(publicId)}/check`, ask)
  }
}
