import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import { inject } from 'vitest'
import { connectClient, createPool } from '../../service/db/index.ts'

export type TestDatabase = {
  url(role: 'ergon_app' | 'ergon_api' | 'ergon_admin' | 'ergon_signer' | 'ergon_owner'): string
  /** Plain SQL as the administrator, to read what the service wrote. */
  sql<Row = Record<string, unknown>>(text: string, values?: unknown[]): Promise<Row[]>
  drop(): Promise<void>
}

/** A copy of a database as it is now: a restore to this moment. Sessions of the original are ended. */
export async function copyDatabase(original: TestDatabase): Promise<TestDatabase> {
  const [row] = await original.sql<{ name: string }>('select current_database() as name')
  await asAdmin('postgres', (client) =>
    client.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and pid <> pg_backend_pid()`,
      [row!.name],
    ),
  )
  return createTestDatabase({ template: row!.name })
}

/** A new database, cloned from the migrated template (or empty). */
export async function createTestDatabase(
  of: { empty?: boolean; template?: string } = {},
): Promise<TestDatabase> {
  const template = of.template ?? (of.empty ? 'template0' : 'template_ergon')
  const name = `test_${randomBytes(6).toString('hex')}`
  await asAdmin('postgres', (client) =>
    // Copied as files: through the WAL it takes three times as long while the WAL is still growing.
    client.query(`create database ${name} template ${template} strategy file_copy`),
  )
  const pool = createPool({ connectionString: urlOf('ergon_admin', name), max: 2 })
  pool.on('error', () => {})
  return {
    url: (role) => urlOf(role, name),
    sql: async (text, values) => (await pool.query(text, values)).rows,
    async drop() {
      await pool.end()
      await asAdmin('postgres', (client) => client.query(`drop database ${name} with (force)`))
    },
  }
}

function urlOf(role: string, database: string): string {
  return inject('postgres').replace('ROLE', role).replace('DATABASE', database)
}

async function asAdmin(database: string, work: (client: pg.Client) => Promise<unknown>) {
  const client = await connectClient({ connectionString: urlOf('ergon_admin', database) })
  try {
    await work(client)
  } finally {
    await client.end()
  }
}
