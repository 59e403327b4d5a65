import type { IncomingHttpHeaders } from 'node:http'
import type { Market } from './market.ts'

export type MarketplaceName = 'catfee' | 'itrx' | 'tronsave' | 'tronzap'

export type MarketRequest = {
  method: string
  /** Path and query exactly as they came: signatures cover them. */
  target: string
  pathname: string
  query: URLSearchParams
  headers: IncomingHttpHeaders
  body: string
}

export type Reply = { status: number; json: unknown } | 'silence'

/** How one marketplace speaks: its paths, its signature, its words. Everything else is common. */
export type Dialect = {
  name: MarketplaceName
  /** SUN per Energy in the sandbox. */
  unitPrice: bigint
  /** What stands behind the host in the address a client is given. */
  path: string
  /** An order that ended with less than was ordered looks open to its client for ever. */
  hidesPartialEnd?: true
  newId(count: number, wallMs: number): string
  answer(request: MarketRequest, market: Market): Promise<Reply>
}
