import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { CannotStart, createLoop, type Log } from '../kernel/index.ts'
import { connectClient } from './connections.ts'
import { unfitness } from './unfit.ts'

/** No writable server was reached. Nothing was sent, so nothing has happened. */
export class NoDatabase extends Error {
  override name = 'NoDatabase'
}

/** pg's messages for a connection timeout. */
const NOT_IN_TIME = [
  'timeout exceeded when trying to connect',
  'Connection terminated due to connection timeout',
]
const READ_ONLY = '25006'
/** lock_not_available, query_canceled */
const TIMEOUTS = ['55P03', '57014']
/** Codes of the connection, not of a statement: the server shuts down or ends the session. */
const OF_CONNECTION = /^(08|25P0|57P)/
/** The same, a server without resources or in error, one that is read-only, a statement that was cancelled. */
const OF_SERVER = /^(08|25006|25P0|53|57|58)/
const TOO_MANY = '53300'
const PROBE_MS = 500
/** Probe every Nth round even without errors: a hung or replaced server raises none. */
const QUIET_ROUNDS = 4
const ANSWER_MS_MAX = 2_500
/** Probes at a start before it is refused: a server that does not answer may only be busy. */
const PROBES_AT_START = 10

/** Whether an error means that a statement was never sent. */
export function wasNeverSent(error: unknown): boolean {
  return (
    error instanceof NoDatabase || (error instanceof Error && NOT_IN_TIME.includes(error.message))
  )
}

/** Whether a lock or the statement took too long. */
export function isTimeout(error: unknown): boolean {
  return error instanceof pg.DatabaseError && TIMEOUTS.includes(error.code ?? '')
}

/** Whether the server refused the statement, so that it had no effect. After a lost connection that is unknown. */
export function wasRefusedByServer(error: unknown): boolean {
  return error instanceof pg.DatabaseError && !OF_CONNECTION.test(error.code ?? '')
}

/** Errors that came from the driver: the connection was lost or never opened, or the server did not answer. */
const ofDriver = new WeakSet<Error>()

/** Marks an error that the driver threw, and throws it on. */
export function throwOfDriver(error: unknown): never {
  if (error instanceof Error && !(error instanceof pg.DatabaseError)) ofDriver.add(error)
  throw error
}

/**
 * Whether an error is of the database as a whole, not of the rows of a statement. A statement that took too
 * long counts as one: a busy server is slow for all rows.
 */
export function isOfDatabase(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (!(error instanceof pg.DatabaseError))
    return error instanceof NoDatabase || ofDriver.has(error)
  return OF_SERVER.test(error.code ?? '')
}

function isFull(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === TOO_MANY
}

type Primary = { url: string; timeline: number }
/** The result of a probe. `isThere`: slow or full, but possibly running. */
type Probe = Primary | { trouble: string; isThere: boolean }

/** URL of the primary, for callers that connect once: a migration, a check. */
export async function findPrimary(urls: readonly string[]): Promise<string> {
  return (await primaryOf(urls, 'ergon-look')).url
}

async function primaryOf(
  urls: readonly string[],
  session: string,
  looksLeft = PROBES_AT_START,
): Promise<Primary> {
  const looks = await Promise.all(urls.map((url) => probe(url, session)))
  const found = highestTimeline(looks, 0)
  if (found) return found
  const isAnyThere = looks.some((look) => 'isThere' in look && look.isThere)
  if (isAnyThere && looksLeft > 1) {
    await pause(PROBE_MS)
    return primaryOf(urls, session, looksLeft - 1)
  }
  const troubles = looks.flatMap((look) => ('trouble' in look ? look.trouble : []))
  throw new CannotStart(
    `No database can be written to (${troubles.join('; ')}). Check DATABASE_URL.`,
  )
}

/**
 * Two servers may both accept writes: one was promoted, and the old primary came back. Each promotion
 * begins a new timeline, so the server on the highest timeline is the primary.
 */
function highestTimeline(looks: readonly Probe[], leastTimeline: number): Primary | undefined {
  let found: Primary | undefined
  for (const look of looks) {
    if ('trouble' in look || look.timeline < leastTimeline) continue
    if (!found || look.timeline > found.timeline) found = look
  }
  return found
}

async function probe(url: string, session: string): Promise<Probe> {
  let client: pg.Client | undefined
  try {
    client = await connectClient({
      connectionString: url,
      application_name: session,
      connectionTimeoutMillis: ANSWER_MS_MAX,
      query_timeout: ANSWER_MS_MAX,
    })
    const { rows } = await client.query(
      `select current_setting('transaction_read_only') = 'on' as closed,
              current_setting('synchronous_commit') as commit,
              current_setting('server_version_num')::int as version,
              case when pg_is_in_recovery() then 0
                   else ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int end as timeline`,
    )
    const { closed, commit, version, timeline } = rows[0]
    const unfit = unfitness({ version, commit })
    if (unfit) throw unfit
    if (timeline === 0) return { trouble: 'is in recovery', isThere: false }
    if (closed) return { trouble: 'is read-only', isThere: false }
    return { url, timeline }
  } catch (error) {
    if (error instanceof CannotStart) throw error
    const { message } = error as Error
    return { trouble: message, isThere: isFull(error) || /time(out|d out)/i.test(message) }
  } finally {
    void client?.end().catch(() => {})
  }
}

type ClientClass = new (config?: pg.ClientConfig) => pg.Client

export type Servers = {
  /** Connections of this class go to the server that is the primary when they are opened. */
  Client: ClientClass
  /** Probes the servers after an error of the connection; returns whether the connection must be dropped. */
  handleError(error: unknown): boolean
  /** Timeline of the primary; each promotion begins a new one. */
  timeline(): number
  close(): Promise<void>
}

type Options = {
  urls: readonly string[]
  log: Log
  name: string
  Client?: ClientClass | undefined
}

/**
 * Several servers, one of which is the primary. All are probed when connections fail, and every two
 * seconds anyway. When another is promoted, connections to the old primary are closed: what it
 * accepts is lost.
 */
export async function openServers(options: Options): Promise<Servers> {
  const { urls, log, name, Client } = options
  let current = await primaryOf(urls, name)
  let isNoneLeft = false
  let isSuspect = false
  let rounds = 0
  const connected = new Set<{ url: string; cut(): void }>()
  const loop = createLoop({ name: 'db.findPrimary', everyMs: PROBE_MS, log, work: look })
  if (urls.length > 1) loop.start()

  async function look(): Promise<number> {
    rounds += 1
    if (!isSuspect && rounds % QUIET_ROUNDS > 0) return 0
    isSuspect = false
    const looks = await Promise.all(urls.map((url) => probe(url, name)))
    const found = highestTimeline(looks, current.timeline)
    isSuspect = !found
    isNoneLeft = !found && looks.every((one) => 'trouble' in one && !one.isThere)
    if (found) moveTo(found)
    return 0
  }

  function moveTo(found: Primary) {
    const hasMoved = found.url !== current.url
    current = found
    if (!hasMoved) return
    log.warn('database_moved', { name, to: `server ${urls.indexOf(found.url) + 1} of the list` })
    for (const client of connected) if (client.url !== found.url) client.cut()
  }

  function probeSoon() {
    isSuspect = true
    loop.wake()
  }

  return {
    Client: clientClass(Client ?? pg.Client, {
      url: () => current.url,
      isNoneLeft: () => isNoneLeft,
      probeSoon,
      connected,
    }),
    handleError(error) {
      if (error instanceof NoDatabase) return true
      const isReadOnly = (error as { code?: string }).code === READ_ONLY
      if (isReadOnly) probeSoon()
      return isReadOnly
    },
    timeline: () => current.timeline,
    close: loop.stop,
  }
}

type Known = {
  url(): string
  isNoneLeft(): boolean
  probeSoon(): void
  connected: Set<{ url: string; cut(): void }>
}

/** Internals of pg: the settings that the server reports, and the socket. */
type Inside = {
  on(event: 'parameterStatus', hear: (status: ParameterStatus) => void): void
  stream: { destroy(): void }
}
type ParameterStatus = { parameterName: string; parameterValue: string }

function clientClass(Base: ClientClass, known: Known): ClientClass {
  return class extends Base {
    readonly url: string
    readonly #inside: Inside
    #closed = new Set<string>()

    constructor(config?: pg.ClientConfig) {
      const url = known.url()
      super({ ...config, connectionString: url })
      this.url = url
      this.#inside = (this as unknown as { connection: Inside }).connection
      // The server reports these settings when connecting and at every change, so no query is needed.
      this.#inside.on('parameterStatus', ({ parameterName: name, parameterValue: value }) => {
        if (name !== 'in_hot_standby' && name !== 'default_transaction_read_only') return
        if (value === 'on') this.#closed.add(name)
        else this.#closed.delete(name)
      })
    }

    cut() {
      this.#inside.stream.destroy()
    }

    // biome-ignore lint/suspicious/noExplicitAny: pg's overloads cannot be written down again
    override connect(callback?: any): any {
      const refuse = (message: string, cause?: Error) => {
        known.probeSoon()
        callback(new NoDatabase(message, { cause }))
      }
      if (known.isNoneLeft()) {
        return queueMicrotask(() => refuse('no server can be written to'))
      }
      super.connect(((error: Error | undefined) => {
        if (error) return refuse(error.message, error)
        if (this.#closed.size > 0 || this.url !== known.url()) {
          this.cut()
          return refuse('the server cannot be written to')
        }
        known.connected.add(this)
        this.once('end', () => known.connected.delete(this))
        callback(undefined, this)
      }) as () => void)
    }
  }
}
