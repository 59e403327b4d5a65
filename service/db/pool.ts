import pg from 'pg'
import type { Log, Runtime } from '../kernel/index.ts'
import { createPool } from './connections.ts'
import { NoDatabase, openServers, type Servers, throwOfDriver } from './servers.ts'
import type { Statement } from './statement.ts'

export type Queryable = {
  query<Row>(statement: Statement<Row>, values?: readonly unknown[]): Promise<Row[]>
}

declare const txBrand: unique symbol
/** An open transaction. A function that takes a `Tx` runs inside it and must not outlive it. */
export type Tx = Queryable & { readonly [txBrand]: true }

export type Db = Queryable & {
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** Changes when another server takes over: earlier reads may be of data lost with the old server. */
  timeline(): number
  /** Connections that are open, open without work, and requests that wait for one. */
  connections(): { open: number; idle: number; waiting: number }
  close(): Promise<void>
}

type Options = {
  urls: string[]
  connections: number
  runtime: Runtime
  log: Log
  name: string
  /** Called after each transaction that was committed. */
  onCommit?: () => void
  /** Settings of its sessions that differ from those of others. */
  settings?: Record<string, string>
  /** The class of the pool's connections; the simulation passes one that can break. */
  Client?: new (
    config?: pg.ClientConfig,
  ) => pg.Client
}

const INT8 = 20
const IDLE_MS_MAX = 60_000
const STATEMENT_MS_MAX = 15_000
const ANSWER_MS_MAX = 20_000
/** Idle time before TCP keep-alive probes: networks drop idle connections. */
const QUIET_MS_MAX = 30_000
const SETTINGS = {
  timezone: 'UTC',
  // On by default in servers of operators: compiling the auditor's M15 took 3 s, under load above the limit below.
  jit: 'off',
  statement_timeout: String(STATEMENT_MS_MAX),
  lock_timeout: '8000',
  idle_in_transaction_session_timeout: '10000',
}

/** Sets up a new session by a statement: a pooler refuses settings in the startup message. */
function settingsOf(
  schema: string,
  own: Record<string, string> = {},
): (client: pg.ClientBase) => Promise<void> {
  const settings = Object.entries({ search_path: schema, ...SETTINGS, ...own })
  const text = settings
    .map(([name, value]) => `set_config('${name}', '${value}', false)`)
    .join(', ')
  return async (client) => {
    try {
      await client.query(`select ${text}`)
    } catch (cause) {
      throw new NoDatabase('a new session could not be set up', { cause })
    }
  }
}

/** int8 becomes bigint in this pool alone; a global parser would break libraries. */
const types: pg.CustomTypesConfig = {
  getTypeParser(oid, format) {
    if (oid === INT8) return BigInt as never
    return pg.types.getTypeParser(oid, format) as never
  },
}

export async function openDb(options: Options): Promise<Db> {
  const { urls, connections, runtime, log, name, onCommit, settings, Client } = options
  const servers = await openServers({ urls, log, name, Client })
  const pool = createPool({
    Client: servers.Client,
    max: connections,
    application_name: name,
    onConnect: settingsOf('', settings),
    types,
    keepAlive: true,
    keepAliveInitialDelayMillis: QUIET_MS_MAX,
    // A new connection plans every statement again: its first group of purchases takes four times as long.
    idleTimeoutMillis: IDLE_MS_MAX,
    // A connection that never opens must not block the queue of purchases for ever.
    connectionTimeoutMillis: 10_000,
    query_timeout: ANSWER_MS_MAX,
  })
  pool.on('error', (error) => {
    // pool.end() resolves before its sockets are closed; errors after that are expected.
    if (!pool.ending) log.warn('database_connection_lost', { name, error })
  })

  async function transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    const client = await pool.connect().catch(throwOfDriver)
    let broken: Error | undefined
    const lost = (error: Error) => {
      broken = error
    }
    client.on('error', lost)
    const tx = inTransaction(client, runtime)
    try {
      await client.query('begin').catch(throwOfDriver)
      const result = await work(tx as Queryable as Tx)
      await runtime.step(`commit after ${tx.last()}`).catch(throwOfDriver)
      await client.query('commit').catch(throwOfDriver)
      onCommit?.()
      await runtime.step(`committed after ${tx.last()}`).catch(throwOfDriver)
      return result
    } catch (error) {
      await client.query('rollback').catch((rollbackError: Error) => {
        broken = rollbackError
      })
      if (servers.handleError(error)) broken ??= error as Error
      throw error
    } finally {
      client.off('error', lost)
      client.release(broken)
    }
  }

  return {
    ...onPool(pool, runtime, servers),
    transaction,
    timeline: servers.timeline,
    connections: () => {
      const { totalCount: open, idleCount: idle, waitingCount: waiting } = pool
      return { open, idle, waiting }
    },
    async close() {
      await servers.close()
      await pool.end()
    },
  }
}

/**
 * Every statement is a step, and so is the moment after a commit: the simulation may crash the process
 * there. Nothing in a transaction lasts before its commit, so one step per statement is enough.
 */
function inTransaction(client: pg.PoolClient, runtime: Runtime): Queryable & { last(): string } {
  let last = 'nothing'
  async function query<Row>(
    { name, text }: Statement<Row>,
    values: readonly unknown[] = [],
  ): Promise<Row[]> {
    last = name
    await runtime.step(name).catch(throwOfDriver)
    const query = { name, text, values: values as unknown[] }
    const result = await client.query(query).catch(throwOfDriver)
    return result.rows as Row[]
  }
  return { query, last: () => last }
}

function onPool(pool: pg.Pool, runtime: Runtime, servers: Servers): Queryable {
  return {
    async query<Row>({ name, text }: Statement<Row>, values: readonly unknown[] = []) {
      await runtime.step(`commit after ${name}`).catch(throwOfDriver)
      try {
        const result = await pool.query({ name, text, values: values as unknown[] })
        await runtime.step(`committed after ${name}`)
        return result.rows as Row[]
      } catch (error) {
        servers.handleError(error)
        throwOfDriver(error)
      }
    },
  }
}

/** A pool for a library that writes its own SQL, without qualified names: its schema is its search path. */
export type SchemaPool = pg.Pool

export async function openSchemaPool(options: {
  urls: string[]
  schema: string
  connections: number
  log: Log
  name: string
}): Promise<SchemaPool> {
  const { urls, schema, connections, log, name } = options
  const servers = await openServers({ urls, log, name })
  const pool = createPool({
    Client: servers.Client,
    max: connections,
    application_name: name,
    onConnect: settingsOf(schema),
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
