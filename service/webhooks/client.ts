import { Resolver } from 'node:dns/promises'
import type { LookupFunction } from 'node:net'
import { type Refusal, refuse } from '@ergon/contract'
import { Agent, buildConnector, type Dispatcher, request } from 'undici'
import { isPublic, literalOf, parseTarget } from './wall.ts'

/** What an attempt came to. `status` is null when there was no whole answer, and then `error` says why. */
export type Exchange = { status: number | null; error: string | null; retryAfter: string | null }

export type Client = {
  /** The URL can be a webhook's now, or why not. */
  check(url: string): Promise<Refusal | undefined>
  post(url: string, message: { headers: Record<string, string>; body: string }): Promise<Exchange>
  /** Ends what is under way. */
  close(): Promise<void>
}

/** The outside world of this room. Tests bring their own; nothing else differs. */
export type Network = {
  /** All addresses of a name. */
  resolve(name: string): Promise<string[]>
  /** Where an address that has been judged is reached: at itself. */
  dial(address: string): string
  /** Certificates to trust instead of the system's. */
  ca?: string
}

export const publicNetwork: Network = { resolve: resolveName, dial: (address) => address }

const EXCHANGE_MS = 5_000
const RESPONSE_BYTES_MAX = 16 * 1024
/** Shorter than what servers usually keep, so that we rarely write into a connection being closed. */
const IDLE_MS = 4_000
const IDLE_MS_MAX = 30_000

class Refused extends Error {
  readonly code: string
  constructor(code: string) {
    super(code)
    this.code = code
  }
}

/** By the protocol, not by the system's look-up: no hosts file, no search list, no pool of threads to fill. */
async function resolveName(name: string): Promise<string[]> {
  const resolver = new Resolver({ timeout: 1_500, tries: 2 })
  const none = (): string[] => []
  const [four, six] = await Promise.all([
    resolver.resolve4(name).catch(none),
    resolver.resolve6(name).catch(none),
  ])
  return [...four, ...six]
}

/** `sinkUrl`: where the sandbox's own receivers are, the one exception; absent in production. */
export function createClient(network: Network, sinkUrl: string | undefined): Client {
  const ending = new AbortController()
  const guarded = guardedAgent(network)
  const toSinks = new Agent({ connect: { timeout: EXCHANGE_MS, allowH2: false } })
  const isSink = (url: string) => sinkUrl !== undefined && isSinkOf(sinkUrl, url)

  async function exchange(url: URL, dispatcher: Dispatcher, message: Message): Promise<Exchange> {
    const signal = AbortSignal.any([ending.signal, AbortSignal.timeout(EXCHANGE_MS)])
    // undici follows no redirect unless told to; that answer is a failure like any other.
    const response = await request(url, { ...message, method: 'POST', dispatcher, signal })
    await readAtMost(response.body, RESPONSE_BYTES_MAX)
    const header = response.headers['retry-after']
    const retryAfter = typeof header === 'string' ? header : null
    return { status: response.statusCode, error: null, retryAfter }
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
    async post(text, message) {
      // Judged at every attempt: the name may lead elsewhere by now, and so may our rules.
      const sink = isSink(text)
      const url = sink ? new URL(text) : parseTarget(text)
      if (!(url instanceof URL)) return failed('url_refused')
      try {
        return await exchange(url, sink ? toSinks : guarded, message)
      } catch (error) {
        return failed(wordFor(error))
      }
    },
    async close() {
      ending.abort()
      await Promise.all([guarded.destroy(), toSinks.destroy()])
    },
  }
}

type Message = { headers: Record<string, string>; body: string }

/** Only the very form that the sandbox hands out: nothing to parse, nothing to confuse. */
function isSinkOf(sinkUrl: string, url: string): boolean {
  return url.startsWith(`${sinkUrl}/`) && /^[0-9a-f-]{36}$/.test(url.slice(sinkUrl.length + 1))
}

/**
 * Connects only to addresses that were judged a moment before, in this very look-up; the name stays
 * in SNI and in the check of the certificate. No proxy is asked, whatever the environment says.
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
    timeout: EXCHANGE_MS,
    allowH2: false,
    ...(ca !== undefined && { ca }),
  })
  return new Agent({
    connect,
    allowH2: false,
    pipelining: 1,
    keepAliveTimeout: IDLE_MS,
    keepAliveMaxTimeout: IDLE_MS_MAX,
    headersTimeout: EXCHANGE_MS,
    bodyTimeout: EXCHANGE_MS,
  })
}

/** What a receiver says is of no use to us; we read it so that the connection can be used again. */
async function readAtMost(body: Dispatcher.ResponseData['body'], most: number): Promise<void> {
  let bytes = 0
  for await (const chunk of body) {
    bytes += (chunk as Buffer).length
    // Leaving the loop destroys the body, and with it the connection.
    if (bytes > most) return
  }
}

function failed(error: string): Exchange {
  return { status: null, error, retryAfter: null }
}

/** One word for the owner: enough to repair a receiver, and nothing about the inside of ours. */
function wordFor(error: unknown): string {
  const { code = '', name = '' } = error as { code?: unknown; name?: string }
  if (error instanceof Refused) return error.code
  if (name === 'TimeoutError' || /TIMEOUT|ETIMEDOUT/.test(String(code))) return 'timeout'
  if (name === 'AbortError') return 'aborted'
  if (/CERT|SSL|TLS|SELF_SIGNED|ERR_TLS/.test(String(code))) return 'tls_failed'
  return 'connection_failed'
}
