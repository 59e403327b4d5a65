import { connectClient } from './connections.ts'
import type { Postgres } from './postgres.ts'

/** Creates a database of the embedded server if it is missing. */
export async function ensureDatabase(postgres: Postgres, name = 'ergon'): Promise<void> {
  const connectionString = postgres.url('ergon_admin', 'postgres')
  const client = await connectClient({ connectionString })
  try {
    const found = await client.query('select from pg_database where datname = $1', [name])
    if (found.rowCount === 0) await client.query(`create database ${client.escapeIdentifier(name)}`)
  } finally {
    await client.end()
  }
}
