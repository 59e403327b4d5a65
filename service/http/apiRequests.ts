import type { FastifyInstance } from 'fastify'
import type { Db, Retention } from '../db/index.ts'
import { createLoop, type Log, type Loop, type Runtime, withoutSecrets } from '../kernel/index.ts'
import {
  insertRequests,
  listRequests,
  listRoutes,
  pruneRequests,
  type RequestRow,
} from './apiRequests.sql.ts'

/** The log of what clients' programs asked for and were answered: never a URL, a body or a header. */
export type ApiRequests = {
  /** Keeps it in memory until the next writing; drops it when there are too many. */
  add(answered: Answered): void
  /** Records the answers of a server to keys of clients, on routes that begin with the prefix. */
  follow(server: FastifyInstance, prefix: string): void
  /** Newest first. What this process has answered before the call is among them. */
  list(account: string, filter: Filter): Promise<RequestRow[]>
  /** Templates of the routes that the account has called. */
  routesOf(account: string): Promise<string[]>
  /** How many were not recorded since the start. */
  dropped(): number
  loop: Loop
  close(): Promise<void>
}

export type Filter = {
  /** Statuses from the first to the last. */
  status: readonly [number, number]
  /** Empty: all of them. */
  route: string
  /** An id of a request; older ones are listed. */
  before: string | null
  limit: number
}

/** A request with its answer. */
export type Answered = Omit<RequestRow, 'id' | 'at'> & { account: string }

type Waiting = Answered & { id: string; at: Date }

const DAY_MS = 86_400_000
const KEPT_MS = 7 * DAY_MS
const WRITE_MS = 1_000
/** More within a second are not recorded: purchases come first. */
const WAITING_MAX = 1_000

export const retention: readonly Retention[] = [
  {
    table: 'http.api_request',
    keptMs: KEPT_MS,
    prune: { inTurn: pruneRequests, first: '00000000-0000-0000-0000-000000000000' },
  },
]

/**
 * A request adds a row to memory; once a second all rows are written by one statement. While
 * requests wait for a connection nothing is written; beyond a thousand rows in memory they are dropped and counted.
 */
export function createApiRequests(deps: { db: Db; runtime: Runtime; log: Log }): ApiRequests {
  const { db, runtime, log } = deps
  const { clock, ids } = runtime
  const waiting: Waiting[] = []
  let writing: Promise<void> | undefined
  let dropped = 0
  let isFailing = false

  async function write(batch: readonly Waiting[]) {
    try {
      await db.query(insertRequests, columnsOf(batch))
      isFailing = false
    } catch (error) {
      dropped += batch.length
      // Once, not each second.
      if (!isFailing) log.warn('api_requests_not_written', { count: batch.length, error })
      isFailing = true
    }
  }

  async function drain() {
    while (waiting.length > 0) await write(waiting.splice(0))
  }

  function flush(): Promise<void> {
    writing ??= drain().finally(() => {
      writing = undefined
    })
    return writing
  }

  const since = () => new Date(clock.now().getTime() - KEPT_MS)
  const loop = createLoop({
    name: 'http.writeRequests',
    everyMs: WRITE_MS,
    afterWorkMs: WRITE_MS,
    log,
    async work() {
      const written = waiting.length
      loop.notice(written > 0)
      if (db.connections().waiting > 0) return 0
      await flush()
      return written
    },
  })

  function add(answered: Answered) {
    loop.notice(true)
    if (waiting.length >= WAITING_MAX) dropped += 1
    else waiting.push({ ...answered, id: ids.next(), at: clock.now() })
  }

  return {
    add,
    follow(server, prefix) {
      server.addHook('onResponse', (request, reply, done) => {
        const { account, route, method, id, refusal, startedMs } = request
        if (account !== '' && route.startsWith(prefix)) {
          const status = reply.statusCode
          const durationMs = clock.elapsedMs() - startedMs
          add({ account, method, route, status, durationMs, request: id, refusal: refusal || null })
        }
        done()
      })
    },
    async list(account, { status: [from, to], route, before, limit }) {
      await flush()
      return db.query(listRequests, [account, since(), from, to, route, before, limit])
    },
    async routesOf(account) {
      const rows = await db.query(listRoutes, [account, since()])
      return rows.map(({ route }) => route)
    },
    dropped: () => dropped,
    loop,
    async close() {
      await loop.stop()
      await flush()
    },
  }
}

/** Routes as the reference writes them. A client may write its key where its id of a request belongs. */
function columnsOf(batch: readonly Waiting[]): unknown[] {
  return [
    batch.map((one) => one.account),
    batch.map((one) => one.id),
    batch.map((one) => one.at),
    batch.map((one) => one.method),
    batch.map((one) => one.route.replaceAll(/:(\w+)/g, '{$1}')),
    batch.map((one) => one.status),
    batch.map((one) => Math.round(one.durationMs * 10) / 10),
    batch.map((one) => withoutSecrets(one.request)),
    batch.map((one) => one.refusal),
  ]
}
