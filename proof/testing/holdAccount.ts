import pg from 'pg'
import type { TestDatabase } from './database.ts'
import { until } from './until.ts'

/** Runs `work` while the account's ledger row is locked, so that a purchase on it stays in flight. */
export async function holdAccount(
  database: TestDatabase,
  account: string,
  work: (inFlight: () => Promise<unknown>) => Promise<void>,
): Promise<void> {
  const client = new pg.Client({ connectionString: database.url('ergon_admin') })
  await client.connect()
  const inFlight = () =>
    until('somebody waits for the account', async () => {
      const rows = await database.sql(
        `select from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock' and usename = 'ergon_app'`,
      )
      return rows.length > 0
    })
  try {
    await client.query('begin')
    await client.query('select from ledger.account where id = $1 for update', [account])
    await work(inFlight)
  } finally {
    await client.query('rollback')
    await client.end()
  }
}
