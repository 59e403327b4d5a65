import pg from 'pg'
import type { Doors, Log } from '../kernel/index.ts'
import { createPool } from './connections.ts'
import { createLane } from './lane.ts'
import { openServers, type Servers } from './servers.ts'
import type { Statement } from './statement.ts'
import { createStill, neverStill, type Still } from './still.ts'

export type Queryable = {
  query<Row>(statement: Statement<Row>, values?: readonly unknown[]): Promise<Row[]>
}

declare const txBrand: unique symbol
/** A transaction under way. What takes a `Tx` runs inside it and must not outlive it. */
export type Tx = Queryable & { readonly [txBrand]: true }

export type Db = Queryable & {
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** One statement behind the other on one connection; the next may be given before the last has ended. */
  lane: Queryable
  /** Another number when another server has taken over: what was read before may be lost with the old one. */
  timeline(): number
  /** As long as it is the same number, no statement that `moves` can have changed anything, by whomever. */
  still(): number | undefined
  /** What the names of all sessions of this process end with, if it looks around for those of others. */
  tag: string | undefined
  close(): Promise<void>
}

type Options = {
  urls: string[]
  connections: number
  doors: Doors
  log: Log
  name: string
  /** Looks for others all the time, and is seen by them before it moves anything (`still`). */
  looksAround?: boolean
  /** The class of the pool's connections; a simulation's can break and is watched. */
  Client?: new (
    config?: pg.ClientConfig,
  ) => pg.Client
}

const INT8 = 20
const IDLE_MS_MAX = 600_000
const STATEMENT_MS_MAX = 15_000
const ANSWER_MS_MAX = 20_000
/** Then the other side is asked whether it is there: networks forget connections that nobody uses. */
const QUIET_MS_MAX = 30_000
const STARTUP = [
  'search_path=',
  'timezone=UTC',
  `statement_timeout=${STATEMENT_MS_MAX}`,
  'lock_timeout=8000',
  'idle_in_transaction_session_timeout=20000',
]

/** int8 becomes bigint in this pool alone; a global parser would break libraries. */
const types: pg.CustomTypesConfig = {
  getTypeParser(oid, format) {
    if (oid === INT8) return BigInt as never
    return pg.types.getTypeParser(oid, format) as never
  },
}

export async function openDb(options: Options): Promise<Db> {
  const { urls, connections, doors, log, name, looksAround, Client } = options
  const tag = looksAround ? Buffer.from(doors.random.bytes(6)).toString('hex') : undefined
  const session = sessionName(name, tag)
  const servers = await openServers({ urls, log, name, session, Client })
  const config: pg.PoolConfig = {
    Client: servers.Client,
    application_name: session,
    options: STARTUP.map((setting) => `-c ${setting}`).join(' '),
    types,
    keepAlive: true,
    keepAliveInitialDelayMillis: QUIET_MS_MAX,
    // A new connection plans everything anew: its first group of purchases takes four times as long.
    idleTimeoutMillis: IDLE_MS_MAX,
    // A black-holed connection must not hang the one queue of purchases for ever.
    connectionTimeoutMillis: 10_000,
  }
  const pool = createPool({ ...config, max: connections, query_timeout: ANSWER_MS_MAX })
  const { timeline } = servers
  const watchPool = createPool({ ...config, max: 1, query_timeout: ANSWER_MS_MAX })
  const watch = onPool(watchPool, doors, servers, neverStill)
  const still = tag === undefined ? neverStill : createStill({ watch, tag, timeline, doors, log })
  const { lane, pool: lanePool } = createLane({
    // A statement on the lane waits for the one before it, too.
    config: { ...config, query_timeout: ANSWER_MS_MAX + STATEMENT_MS_MAX },
    beside: pool,
    doors,
    servers,
    still,
  })
  const pools = [pool, lanePool, watchPool]
  for (const one of pools) {
    one.on('connect', still.arrive)
    one.on('error', (error) => {
      still.interrupt()
      // pool.end() resolves before its sockets are gone; what the server says then is no news.
      if (!one.ending) log.warn('database_connection_lost', { name, error })
    })
  }
  still.loop?.start()

  async function transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    const client = await pool.connect()
    let broken: Error | undefined
    const lost = (error: Error) => {
      broken = error
    }
    client.on('error', lost)
    const tx = inTransaction(client, doors, still)
    try {
      await client.query('begin')
      const result = await work(tx as Queryable as Tx)
      await doors.step(`commit after ${tx.last()}`)
      await client.query('commit')
      await doors.step(`committed after ${tx.last()}`)
      return result
    } catch (error) {
      await client.query('rollback').catch((rollbackError: Error) => {
        broken = rollbackError
      })
      if (servers.isLost(error)) broken ??= error as Error
      throw error
    } finally {
      if (tx.moves()) still.end(broken)
      client.off('error', lost)
      client.release(broken)
    }
  }

  return {
    ...onPool(pool, doors, servers, still),
    transaction,
    lane,
    timeline,
    still: still.now,
    tag,
    async close() {
      await still.loop?.stop()
      await servers.close()
      await Promise.all(pools.map((one) => one.end()))
    },
  }
}

/**
 * Every statement is a step, and so is what follows a commit: the places at which a simulation may
 * crash us. Inside a transaction nothing lasts before its commit, so one step a statement is enough.
 */
function inTransaction(
  client: pg.PoolClient,
  doors: Doors,
  still: Still,
): Queryable & { last(): string; moves(): boolean } {
  let last = 'nothing'
  let hasMoved = false
  async function query<Row>(
    { name, text, moves }: Statement<Row>,
    values: readonly unknown[] = [],
  ): Promise<Row[]> {
    if (moves && !hasMoved) {
      hasMoved = true
      await still.begin(client)
    }
    last = name
    await doors.step(name)
    const result = await client.query({ name, text, values: values as unknown[] })
    return result.rows as Row[]
  }
  return { query, last: () => last, moves: () => hasMoved }
}

function onPool(pool: pg.Pool, doors: Doors, servers: Servers, still: Still): Queryable {
  /** Its connection comes first: whoever has been away is seen by it. */
  async function move(asked: pg.QueryConfig): Promise<pg.QueryResult> {
    const client = await pool.connect()
    let lost: Error | undefined
    const lose = (error: Error) => {
      lost = error
    }
    client.on('error', lose)
    try {
      await still.begin(client)
      return await client.query(asked)
    } catch (error) {
      lost ??= error as Error
      throw error
    } finally {
      still.end(lost)
      client.off('error', lose)
      // After an error it is dropped, as the pool does with its own.
      client.release(lost)
    }
  }

  return {
    async query<Row>({ name, text, moves }: Statement<Row>, values: readonly unknown[] = []) {
      await doors.step(`commit after ${name}`)
      try {
        const asked = { name, text, values: values as unknown[] }
        const result = await (moves ? move(asked) : pool.query(asked))
        await doors.step(`committed after ${name}`)
        return result.rows as Row[]
      } catch (error) {
        servers.isLost(error)
        throw error
      }
    },
  }
}

function sessionName(name: string, tag: string | undefined): string {
  return tag === undefined ? name : `${name}/${tag}`
}

/** A pool for a library that writes its own SQL, without qualified names: its schema is its search path. */
export type SchemaPool = pg.Pool

export async function openSchemaPool(options: {
  urls: string[]
  schema: string
  connections: number
  log: Log
  name: string
  /** That of the process it belongs to (`Db`). */
  tag?: string | undefined
}): Promise<SchemaPool> {
  const { urls, schema, connections, log, name, tag } = options
  const settings = [`search_path=${schema}`, ...STARTUP.slice(1)]
  const session = sessionName(name, tag)
  const servers = await openServers({ urls, log, name, session })
  const pool = createPool({
    Client: servers.Client,
    max: connections,
    application_name: session,
    options: settings.map((setting) => `-c ${setting}`).join(' '),
    keepAlive: true,
    keepAliveInitialDelayMillis: QUIET_MS_MAX,
    connectionTimeoutMillis: 10_000,
    query_timeout: 20_000,
  })
  pool.on('error', (error) => {
    if (!pool.ending) log.warn('database_connection_lost', { name, error })
  })
  const end = pool.end.bind(pool)
  pool.end = async () => {
    await servers.close()
    await end()
  }
  return pool
}
