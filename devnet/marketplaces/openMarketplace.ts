import { createNodeClient, type NodeClient, stringifyJson } from '@ergon/tron'
import { listenOn, send } from '../socket.ts'
import type { MarketplaceName } from './dialect.ts'
import type { Access, Market } from './market.ts'
import { serve } from './server.ts'
import { createStandIn } from './standIn.ts'

export type MarketplaceOptions = {
  /** 0 takes any free port. */
  port?: number
  host?: string
  /** What clients have to show; the published test values by default. */
  key?: string
  secret?: string
  /** Private key of the staked account it delegates from; by default its own of the devnet. */
  stakeKey?: string
  now?: () => number
  /** Interval of due work; 0: only on request. */
  pollMs?: number
} & ({ nodeUrl: string } | { node: NodeClient })

export type OpenMarketplace = Access & {
  name: MarketplaceName
  /** What its client takes as the marketplace's address. */
  url: string
  controlUrl: string
  market: Market
  close(): Promise<void>
}

const nodeTimeoutMs = 10_000

/** A local stand-in of a real marketplace. It delegates on the devnet for valid orders. */
export async function openMarketplace(
  name: MarketplaceName,
  options: MarketplaceOptions,
): Promise<OpenMarketplace> {
  const { port = 0, host = '127.0.0.1', now = Date.now, pollMs = 250 } = options
  const { key, secret, stakeKey } = options
  const node = 'node' in options ? options.node : devnetClient(options.nodeUrl)
  const own = { node, now, key, secret, stakeKey, takesTopUps: true }
  const { dialect, market } = createStandIn(name, own)
  const { url, server } = await listenOn({ host, port }, (request, response) => {
    serve({ dialect, market }, request, response).catch((error) => {
      if (response.headersSent || response.destroyed) return void response.destroy()
      send(response, 500, stringifyJson({ error: String(error) }))
    })
  })
  const stop = pollMs > 0 ? tickEvery(pollMs, market) : () => {}
  return {
    name,
    url: `${url}${dialect.path}`,
    controlUrl: `${url}/control`,
    ...market.access,
    market,
    close() {
      stop()
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeAllConnections()
      return closed
    },
  }
}

/** The head may be old on a chain that is mined by hand; it is the truth all the same. */
function devnetClient(url: string): NodeClient {
  const staleAfterMs = Number.MAX_SAFE_INTEGER
  return createNodeClient({ urls: [url], timeoutMs: nodeTimeoutMs, staleAfterMs })
}

function tickEvery(ms: number, market: Market): () => void {
  let timer: NodeJS.Timeout
  let stopped = false
  const wait = () => {
    if (!stopped) timer = setTimeout(tick, ms)
  }
  // A node that cannot be reached is tried again; orders wait meanwhile, as they would anywhere.
  const tick = () =>
    market
      .tick()
      .catch(() => {})
      .then(wait)
  wait()
  return () => {
    stopped = true
    clearTimeout(timer)
  }
}
