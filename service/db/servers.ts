import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { CannotStart, createLoop, type Log } from '../kernel/index.ts'
import { connectClient } from './connections.ts'

/** No server that can be written to was reached. Nothing was sent, so nothing has happened. */
export class NoDatabase extends Error {
  override name = 'NoDatabase'
}

/** pg's own words for a connection that was not had in time. */
const NOT_IN_TIME = [
  'timeout exceeded when trying to connect',
  'Connection terminated due to connection timeout',
]
const READ_ONLY = '25006'
/** lock_not_available, query_canceled */
const TIMEOUTS = ['55P03', '57014']
/** Of the connection, not of a statement: the server is going, or ends the session. */
const OF_CONNECTION = /^(08|25P0|57P)/
const TOO_MANY = '53300'
const LOOK_MS = 500
/** Without a suspicion every so many rounds: a server that hangs, or was replaced, breaks nothing by itself. */
const QUIET_ROUNDS = 4
const ANSWER_MS_MAX = 2_500
/** At a start, a server that is there and does not answer is asked again: it may only be busy. */
const LOOKS_AT_START = 10

/** Whether an error means that a statement was never sent. */
export function isUnreached(error: unknown): boolean {
  return (
    error instanceof NoDatabase || (error instanceof Error && NOT_IN_TIME.includes(error.message))
  )
}

/** Whether a lock or the statement took too long. */
export function isTimeout(error: unknown): boolean {
  return error instanceof pg.DatabaseError && TIMEOUTS.includes(error.code ?? '')
}

/** Whether the server itself refused the statement, so that nothing came of it. A lost connection says nothing. */
export function isOfStatement(error: unknown): boolean {
  return error instanceof pg.DatabaseError && !OF_CONNECTION.test(error.code ?? '')
}

function isFull(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === TOO_MANY
}

type Primary = { url: string; timeline: number }
/** A server that is slow or full may still be there. */
type Look = Primary | { trouble: string; isThere: boolean }

/** The server to write to, for whatever connects once: a migration, a check. */
export async function findPrimary(urls: readonly string[]): Promise<string> {
  return (await primaryOf(urls, 'ergon-look')).url
}

async function primaryOf(
  urls: readonly string[],
  session: string,
  looksLeft = LOOKS_AT_START,
): Promise<Primary> {
  const looks = await Promise.all(urls.map((url) => lookAt(url, session)))
  const found = newest(looks, 0)
  if (found) return found
  const isAnyThere = looks.some((look) => 'isThere' in look && look.isThere)
  if (isAnyThere && looksLeft > 1) {
    await pause(LOOK_MS)
    return primaryOf(urls, session, looksLeft - 1)
  }
  const troubles = looks.flatMap((look) => ('trouble' in look ? look.trouble : []))
  throw new CannotStart(
    `No database can be written to (${troubles.join('; ')}). Check DATABASE_URL.`,
  )
}

/**
 * Two servers may both want to be written to: one was promoted, and the other came back without
 * knowing. Each promotion begins a new timeline, so the highest is the one that was meant.
 */
function newest(looks: readonly Look[], leastTimeline: number): Primary | undefined {
  let found: Primary | undefined
  for (const look of looks) {
    if ('trouble' in look || look.timeline < leastTimeline) continue
    if (!found || look.timeline > found.timeline) found = look
  }
  return found
}

async function lookAt(url: string, session: string): Promise<Look> {
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
    if (commit === 'off') {
      throw new CannotStart(
        'synchronous_commit is off: an acknowledged purchase could vanish. Turn it on in the database.',
      )
    }
    if (version < 150_000) throw new CannotStart('PostgreSQL 15 or newer is needed.')
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
  /** Connections of this class go to whichever server is written to when they are made. */
  Client: ClientClass
  /** Tells of an error; says whether the connection it came from is of no more use. */
  isLost(error: unknown): boolean
  /** Of the server that is written to; each promotion begins a new one. */
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
 * Several servers, one of which is written to. When connections to it fail, and every two seconds
 * anyway, all are looked at; a newly promoted one takes its place, and what is still connected to the
 * old one is cut off, because nobody would answer there.
 */
export async function openServers(options: Options): Promise<Servers> {
  const { urls, log, name, Client } = options
  let current = await primaryOf(urls, name)
  let isNoneLeft = false
  let isSuspect = false
  let rounds = 0
  const connected = new Set<{ url: string; cut(): void }>()
  const loop = createLoop({ name: 'db.findPrimary', everyMs: LOOK_MS, log, work: look })
  if (urls.length > 1) loop.start()

  async function look(): Promise<number> {
    rounds += 1
    if (!isSuspect && rounds % QUIET_ROUNDS > 0) return 0
    isSuspect = false
    const looks = await Promise.all(urls.map((url) => lookAt(url, name)))
    const found = newest(looks, current.timeline)
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

  function suspect() {
    isSuspect = true
    loop.wake()
  }

  return {
    Client: clientClass(Client ?? pg.Client, {
      url: () => current.url,
      isNoneLeft: () => isNoneLeft,
      suspect,
      connected,
    }),
    isLost(error) {
      if (error instanceof NoDatabase) return true
      const isReadOnly = (error as { code?: string }).code === READ_ONLY
      if (isReadOnly) suspect()
      return isReadOnly
    },
    timeline: () => current.timeline,
    close: loop.stop,
  }
}

type Known = {
  url(): string
  isNoneLeft(): boolean
  suspect(): void
  connected: Set<{ url: string; cut(): void }>
}

/** What pg keeps to itself: the server's own settings as it reports them, and the socket. */
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
      // Told at connecting and at every change, so that knowing it costs no question.
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
        known.suspect()
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
