import { createHash, randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type pg from 'pg'
import {
  connectClient,
  createPool,
  ensureDatabase,
  migrate,
  startPostgres,
} from '../../service/db/index.ts'

/** The server on which runs clone their databases: its URL with ROLE and DATABASE to fill in. */
export type Server = { url: string }

export type SimDatabase = {
  url(role: 'ergon_app' | 'ergon_admin' | 'ergon_signer'): string
  /** Plain SQL as the administrator, who never waits for a lock of the service. */
  sql<Row = Record<string, unknown>>(text: string, values?: unknown[]): Promise<Row[]>
  /** The given sessions that wait for a lock. */
  blockedOf(pids: number[]): Promise<number[]>
  /** The given sessions that wait for a lock behind another of them. */
  rivalsOf(pids: number[]): Promise<number[]>
  /** Ends a session and returns when its uncommitted work is rolled back. */
  terminate(pid: number): Promise<void>
  drop(): Promise<void>
}

/** A server for a run from the command line; tests share one. */
export async function openServer(): Promise<Server & { stop(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'ergon-sim-'))
  const postgres = await startPostgres({ folder, fsync: false })
  await ensureDatabase(postgres, 'template_ergon')
  await migrate(postgres.url('ergon_admin', 'template_ergon'))
  return {
    url: postgres.url('ROLE', 'DATABASE'),
    async stop() {
      await postgres.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export async function cloneDatabase(server: Server): Promise<SimDatabase> {
  const name = `sim_${randomBytes(6).toString('hex')}`
  const url = (role: string, database = name) =>
    server.url.replace('ROLE', role).replace('DATABASE', database)
  const asAdmin = async (text: string) => {
    const client = await connectClient({ connectionString: url('ergon_admin', 'postgres') })
    await client.query(text).finally(() => client.end())
  }
  await asAdmin(`create database ${name} template template_ergon strategy file_copy`)
  const options = '-c plan_cache_mode=force_generic_plan'
  const pool = createPool({ connectionString: url('ergon_admin'), max: 1, options })
  pool.on('error', () => {})
  const sql = async <Row>(text: string, values?: unknown[]) =>
    (await pool.query(preparedOnce(text, values))).rows as Row[]
  return {
    url: (role) => url(role),
    sql,
    async blockedOf(pids) {
      const rows = await sql<{ pid: number }>(
        `select pid from unnest($1::int[]) as pid where cardinality(pg_blocking_pids(pid)) > 0`,
        [pids],
      )
      return rows.map(({ pid }) => pid)
    },
    async rivalsOf(pids) {
      const rows = await sql<{ pid: number }>(
        `select pid
           from (select w.pid, l.locktype, row_number() over (partition by l.transactionid::text order by w.place) as turn
                   from unnest($1::int[]) with ordinality as w(pid, place)
                   join pg_locks l on l.pid = w.pid and not l.granted) waiting
          where locktype = 'tuple' or (locktype = 'transactionid' and turn > 1)`,
        [pids],
      )
      return rows.map(({ pid }) => pid)
    },
    async terminate(pid) {
      if (pid > 0) await sql(`select pg_terminate_backend($1, 10000)`, [pid])
    },
    async drop() {
      await pool.end()
      await asAdmin(`drop database ${name} with (force)`)
    },
  }
}

/**
 * The same reads are made every forty steps, and planning them anew took a quarter of the processor time of
 * a run: each is prepared once. A name has room for 63 characters.
 */
function preparedOnce(text: string, values: unknown[] | undefined): pg.QueryConfig {
  const isRead = /^\s*(select|with)\s/i.test(text)
  const name = isRead && createHash('sha256').update(text).digest('hex').slice(0, 32)
  return { text, ...(values && { values }), ...(name && { name }) }
}
