import { connectClient } from '../../service/db/index.ts'
import type { TestDatabase } from './database.ts'
import { until } from './until.ts'

type Held = {
  /** Resolves when the service waits for the lock. */
  inFlight(): Promise<unknown>
  /** Commits and releases the lock, so that waiting transactions continue. */
  commit(): Promise<unknown>
}

/**
 * Runs `work` while the account's ledger row is locked, so that a purchase on it stays in flight.
 */
export async function holdAccount(
  database: TestDatabase,
  account: string,
  work: (inFlight: () => Promise<unknown>) => Promise<void>,
): Promise<void> {
  const lock = { text: 'select from ledger.account where id = $1 for update', values: [account] }
  await hold(database, lock, ({ inFlight }) => work(inFlight))
}

/** Runs `work` while another transaction has run its statements and not yet committed. */
export async function hold(
  database: TestDatabase,
  done: { text: string; values: unknown[] },
  work: (held: Held) => Promise<void>,
): Promise<void> {
  const client = await connectClient({ connectionString: database.url('ergon_admin') })
  const inFlight = () =>
    until('somebody waits for what is held', async () => {
      const rows = await database.sql(
        `select from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock' and usename = 'ergon_app'`,
      )
      return rows.length > 0
    })
  try {
    await client.query('begin')
    await client.query(done)
    await work({ inFlight, commit: () => client.query('commit') })
  } finally {
    // A no-op after a commit.
    await client.query('rollback')
    await client.end()
  }
}
