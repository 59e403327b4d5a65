import { Resolver } from 'node:dns/promises'
import type { LookupFunction } from 'node:net'
import { type Refusal, refuse } from '@ergon/contract'
import { Agent, buildConnector } from 'undici'
import { createExchanges, type Exchange, type Message, type Target, TooLate } from './exchange.ts'
import { isPublic, literalOf, parseTarget } from './publicHostGuard.ts'

export type Client = {
  /** Checks whether the URL is allowed for a webhook. */
  check(url: string): Promise<Refusal | undefined>
  /** Never rejects. */
  post(url: string, message: Message): Promise<Exchange>
  /** Aborts running requests. */
  close(): Promise<void>
}

/** Name resolution and connections; tests pass their own. */
export type Network = {
  /** All addresses of a name. */
  resolve(name: string): Promise<string[]>
  /** The address to connect to; in production the checked address itself. */
  dial(address: string): string
  /** Certificates to trust instead of the system's. */
  ca?: string
}

export const publicNetwork: Network = { resolve: resolveName, dial: (address) => address }

const CONNECT_MS = 5_000
const TARGETS_MAX = 10_000
/** Shorter than the keep-alive of most servers, so that we rarely write to a closing connection. */
const IDLE_MS = 4_000
const IDLE_MS_MAX = 30_000

class Refused extends Error {
  readonly code: string
  constructor(code: string) {
    super(code)
    this.code = code
  }
}

/** Resolves by DNS, not by the system: no hosts file, no search list, no thread pool. */
async function resolveName(name: string): Promise<string[]> {
  const resolver = new Resolver({ timeout: 1_500, tries: 2 })
  const none = (): string[] => []
  const [four, six] = await Promise.all([
    resolver.resolve4(name).catch(none),
    resolver.resolve6(name).catch(none),
  ])
  return [...four, ...six]
}

/** `sinkUrl`: base of the sandbox's receivers, the one exception; absent in production. */
export function createClient(network: Network, sinkUrl: string | undefined): Client {
  const guarded = guardedAgent(network)
  const toSinks = new Agent({ connect: { timeout: CONNECT_MS, allowH2: false } })
  const isSink = (url: string) => sinkUrl !== undefined && isSinkOf(sinkUrl, url)
  let ending = false
  const exchange = createExchanges((error) => (ending ? 'aborted' : wordFor(error)))

  // Cache of parsed URLs. The addresses of a name are checked for every connection.
  const targets = new Map<string, Target | 'refused'>()
  function targetOf(text: string): Target | 'refused' {
    const known = targets.get(text)
    if (known) return known
    const sink = isSink(text)
    const url = sink ? new URL(text) : parseTarget(text)
    const target = url instanceof URL ? toTarget(url, sink ? toSinks : guarded) : 'refused'
    if (targets.size >= TARGETS_MAX) targets.clear()
    targets.set(text, target)
    return target
  }

  return {
    async check(text) {
      if (isSink(text)) return undefined
      const url = parseTarget(text)
      if (!(url instanceof URL)) return url
      if (literalOf(url) !== undefined) return undefined
      const addresses = await network.resolve(url.hostname)
      if (addresses.length === 0) return refuse('webhook_host_unresolved')
      return addresses.every(isPublic) ? undefined : refuse('webhook_host_not_public')
    },
    post(text, message) {
      const target = targetOf(text)
      if (target === 'refused') {
        return Promise.resolve({ status: null, error: 'url_refused', retryAfter: null })
      }
      // Redirects are not followed; a redirect is a failure.
      return exchange(target, message)
    },
    async close() {
      ending = true
      await Promise.all([guarded.destroy(), toSinks.destroy()])
    },
  }
}

/** Only the exact form that the sandbox gives out, without parsing. */
function isSinkOf(sinkUrl: string, url: string): boolean {
  return url.startsWith(`${sinkUrl}/`) && /^[0-9a-f-]{36}$/.test(url.slice(sinkUrl.length + 1))
}

/**
 * Connects only to addresses that were checked in the same look-up; the name stays in SNI and in the
 * certificate check. Proxies of the environment are ignored.
 */
function guardedAgent({ resolve, dial, ca }: Network): Agent {
  async function addressesOf(name: string) {
    const addresses = await resolve(name)
    if (addresses.length === 0) throw new Refused('host_not_resolved')
    if (!addresses.every(isPublic)) throw new Refused('host_not_public')
    const dialled = addresses.map(dial)
    return dialled.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
  }
  const lookup: LookupFunction = (name, options, done) => {
    addressesOf(name).then(
      (found) =>
        options.all ? done(null, found) : done(null, found[0]!.address, found[0]!.family),
      (error) => done(error, []),
    )
  }
  const connect = buildConnector({
    lookup,
    timeout: CONNECT_MS,
    allowH2: false,
    ...(ca !== undefined && { ca }),
  })
  return new Agent({
    connect,
    allowH2: false,
    pipelining: 1,
    keepAliveTimeout: IDLE_MS,
    keepAliveMaxTimeout: IDLE_MS_MAX,
    // The exchange has its own total timeout.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
}

function toTarget({ origin, pathname, search }: URL, dispatcher: Agent): Target {
  return { dispatcher, origin, path: pathname + search }
}

/** An error word for the webhook's owner, without details of our network. */
function wordFor(error: unknown): string {
  const { code = '' } = error as { code?: unknown }
  if (error instanceof Refused) return error.code
  if (error instanceof TooLate || /TIMEOUT|ETIMEDOUT/.test(String(code))) return 'timeout'
  if (/CERT|SSL|TLS|SELF_SIGNED|ERR_TLS/.test(String(code))) return 'tls_failed'
  if (code === 'ECONNREFUSED') return 'connection_refused'
  return 'connection_failed'
}
