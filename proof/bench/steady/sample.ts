import type pg from 'pg'
import { descendantsOf } from '../../testing/program.ts'
import { memoryOf } from '../memory.ts'
import { quantile } from '../row.ts'

/** What is looked at once a minute. */
export type Sample = {
  minute: number
  /** MB that a process alone holds. */
  memory: Record<string, number>
  /** MB with indexes; partitions count as their table. */
  tables: Record<string, number>
  /** Of the whole minute: the longest that a transaction was open and waited for its client, in milliseconds. */
  idleMs: number
  connections: number
  /** Milliseconds. */
  times: Record<string, number>
  /** Age of the oldest proof of an invariant: the audit's loop. */
  proofSeconds: number
  /** Age of the newest block read: the scanner. */
  lagSeconds: number
  waiting: number
  purchases: number
}

const TABLES = `
  select n.nspname || '.' || regexp_replace(c.relname, '_([0-9]{8}|default)$', '') as name,
         sum(pg_total_relation_size(c.oid))::float8 / 1000000 as mb
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
   where c.relkind = 'r' and n.nspname !~ '^(pg_|information_schema)' group by 1`

const SESSIONS = `
  select coalesce(max(extract(epoch from clock_timestamp() - state_change) * 1000)
                    filter (where state like 'idle in transaction%'), 0)::float8 as "idleMs",
         count(*)::int as connections
    from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`

export async function readSessions(
  client: pg.Client,
): Promise<{ idleMs: number; connections: number }> {
  return (await client.query(SESSIONS)).rows[0]
}

export async function readTables(client: pg.Client): Promise<Record<string, number>> {
  const { rows } = await client.query(TABLES)
  return Object.fromEntries(rows.map(({ name, mb }) => [name, mb]))
}

/** The service and what it has started, by what they are. */
export function readMemory(service: number): Record<string, number> {
  const found: Record<string, number> = { service: memoryOf(service, 'RssAnon') }
  for (const { pid, command } of descendantsOf(service)) {
    const name = /signer\.ts/.test(command)
      ? 'signer'
      : /devnet/.test(command)
        ? 'devnet'
        : 'postgres'
    try {
      found[name] = (found[name] ?? 0) + memoryOf(pid, 'RssAnon')
    } catch {
      // A session of the database that ended meanwhile.
    }
  }
  return found
}

/** Times of loops as the service itself tells them, and of the answers to purchases. */
export async function readTimes(webUrl: string, tookMs: number[]) {
  const text = await (await fetch(`${webUrl}/metrics`)).text()
  const all = (name: string) =>
    [...text.matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? ([\\d.e+-]+)$`, 'gm'))].map(
      ([, value]) => Number(value),
    )
  const most = (name: string) => Math.max(0, ...all(name))
  return {
    times: {
      'purchase, p95': tookMs.length > 0 ? quantile(tookMs, 0.95) : 0,
      'event loop, p99': most('ergon_nodejs_eventloop_lag_p99_seconds') * 1_000,
    },
    proofSeconds: most('ergon_invariant_age_seconds'),
    lagSeconds: most('ergon_scanner_lag_seconds'),
    waiting: all('ergon_stuck_work').reduce((sum, value) => sum + value, 0),
  }
}
