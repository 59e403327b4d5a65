import { createHash } from 'node:crypto'
import { addressDeriver, type HexAddress, toBase58 } from '@ergon/tron'
import pg from 'pg'
import { SANDBOX_DEPOSIT_XPUB } from '../../../service/app/sandboxNetwork.ts'
import { invariants } from '../../../service/audit/index.ts'
import { ACCOUNTS, ENTRIES, events, type Filled, LANES, lines, PREPARE } from './history.ts'
import { removeIndexes } from './indexes.ts'
import { type Sizes, STEPS } from './sizes.ts'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
/** The last delegation was reclaimed an hour ago, so nothing is under way. */
const LAST_MS_AGO = 2 * HOUR_MS
const ACCOUNTS_AT_ONCE = 10_000
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
/** For one session of two: sorts of indexes, and hashes of all accounts. */
const SETTINGS = {
  work_mem: '256MB',
  maintenance_work_mem: '768MB',
  // The two lanes are what runs at the same time.
  max_parallel_workers_per_gather: '0',
  max_parallel_maintenance_workers: '0',
  // Rows are to lie in the order of time.
  synchronize_seqscans: 'off',
  synchronous_commit: 'off',
  statement_timeout: '0',
}

export type Generated = {
  firstMs: number
  lastMs: number
  /** Deposit addresses with money on them, for the chain. */
  held: { address: string; amount: bigint }[]
}

type Options = { now: Date; tell?(line: string): void }

/** The key of the account with this number, from 1 on. The first account has a tenth of all orders. */
export function apiKeyOf(account: number): string {
  return `erg_${createHash('sha256').update(`age ${account}`).digest('base64url')}`
}

/** Fills a migrated, empty database as a service of some years would have filled it; every invariant holds. */
export async function generate(
  adminUrl: string,
  sizes: Sizes,
  options: Options,
): Promise<Generated> {
  const { now, tell = () => {} } = options
  const lastMs = now.getTime() - LAST_MS_AGO
  const firstMs = lastMs - sizes.days * DAY_MS
  const keptMs = Math.floor((lastMs - sizes.keptDays * DAY_MS) / DAY_MS) * DAY_MS
  const lanes = [...LANES.slice(0, -1), [...LANES.at(-1)!, events(keptMs, sizes.otherEvents)]]
  const tables = lanes.flat().map(({ table }) => table)
  return withClients(adminUrl, lanes.length, async (clients) => {
    const [first] = clients as [pg.Client]
    const timed = stopwatch(tell)
    await timed('accounts', () => writeAccounts(first, sizes, firstMs))
    await timed('entries', async () => {
      await first.query(ENTRIES, [firstMs, lastMs - firstMs])
      await first.query(lines(firstMs, lastMs))
      await first.query('analyze age.account, age.step, age.entry')
    })
    await first.query('select events.prepare_days($1, $2)', [
      new Date(keptMs),
      new Date(now.getTime() + 7 * DAY_MS),
    ])
    await first.query('update events.kept set since = $1', [new Date(keptMs)])
    const removed = await removeIndexes(first, withoutParents(tables))
    await atOnce(clients, lanes, async (client, lane) => {
      for (const filled of lane) {
        await timed(filled.table, () => fillTable(client, filled, removed.of(filled.table)))
      }
    })
    await timed('foreign keys', () =>
      eachOnce(clients, removed.foreign, (client, create) => client.query(create)),
    )
    await first.query('update addresses.counter set next_position = $1', [sizes.accounts])
    await writeCheckpoints(first, lastMs)
    await timed('sums', () => first.query('select ledger.add_up($1, null)', [LAST_ID]))
    const held = await first.query('select address, held as amount from age.account where held > 0')
    await first.query('drop schema age cascade')
    await timed('vacuum', () =>
      eachOnce(clients, tables, (client, table) => client.query(`vacuum (analyze) ${table}`)),
    )
    return {
      firstMs,
      lastMs,
      held: held.rows.map(({ address, amount }) => ({ address, amount: BigInt(amount) })),
    }
  })
}

/** Partitions keep their keys: they are filled a day at a time. */
const withoutParents = (tables: string[]) => tables.filter((table) => table !== 'events.event')

async function writeAccounts(client: pg.Client, sizes: Sizes, firstMs: number): Promise<void> {
  const { accounts, held, rounds } = sizes
  await client.query(PREPARE)
  await client.query(
    `insert into age.step select * from json_populate_recordset(null::age.step, $1)`,
    [JSON.stringify(STEPS)],
  )
  // Only what lies on a derived address can be swept; deriving takes a millisecond each.
  const derived = addressDeriver(SANDBOX_DEPOSIT_XPUB)
  const hexOf = (n: number): HexAddress =>
    n <= held + 1
      ? derived(n - 1)
      : `41${createHash('sha256').update(`address ${n}`).digest('hex').slice(0, 40)}`
  for (let from = 1; from <= accounts; from += ACCOUNTS_AT_ONCE) {
    const count = Math.min(ACCOUNTS_AT_ONCE, accounts - from + 1)
    const numbers = Array.from({ length: count }, (_, place) => from + place)
    const hexes = numbers.map(hexOf)
    await client.query(ACCOUNTS, [
      numbers,
      hexes.map(toBase58),
      hexes,
      held,
      rounds - accounts,
      firstMs,
    ])
  }
}

/** Into an empty file of its own, which PostgreSQL does not log while wal_level is minimal. */
export async function fillTable(client: pg.Client, { table, insert }: Filled, indexes: string[]) {
  await client.query('begin')
  await client.query(`truncate ${table}`)
  await client.query(`insert into ${table} ${insert}`)
  for (const create of indexes) await client.query(create)
  await client.query('commit')
}

/** The auditor has proven everything up to the last moment. */
async function writeCheckpoints(client: pg.Client, lastMs: number): Promise<void> {
  const at = new Date(lastMs + HOUR_MS)
  const hex = at.getTime().toString(16).padStart(12, '0')
  const id = `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`
  const checks = invariants
    .flatMap((invariant) => invariant.checks)
    .filter((one) => !one.inPassOnly)
  await client.query(
    `insert into audit.progress (name, proven) select * from unnest($1::text[], $2::text[])`,
    [
      checks.map(({ name }) => name),
      checks.map(({ table }) => (table === 'key' ? at.toISOString() : id)),
    ],
  )
  await client.query(
    `insert into audit.proof (invariant, proofs, proven_at) select name, 1, $2 from unnest($1::text[]) as name`,
    [invariants.map(({ name }) => name), at],
  )
}

export async function withClients<T>(
  url: string,
  count: number,
  work: (clients: pg.Client[]) => Promise<T>,
) {
  const options = Object.entries(SETTINGS).map(([name, value]) => `-c ${name}=${value}`)
  const clients = Array.from(
    { length: count },
    () => new pg.Client({ connectionString: url, options: options.join(' ') }),
  )
  try {
    await Promise.all(clients.map((client) => client.connect()))
    return await work(clients)
  } finally {
    await Promise.all(clients.map((client) => client.end()))
  }
}

async function atOnce<T>(
  clients: pg.Client[],
  lanes: readonly T[],
  work: (client: pg.Client, lane: T) => Promise<void>,
) {
  await Promise.all(lanes.map((lane, place) => work(clients[place]!, lane)))
}

/** Each client takes the next when it is done. */
async function eachOnce<T>(
  clients: pg.Client[],
  things: readonly T[],
  work: (client: pg.Client, thing: T) => Promise<unknown>,
) {
  const left = [...things]
  await Promise.all(
    clients.map(async (client) => {
      for (let thing = left.shift(); thing !== undefined; thing = left.shift())
        await work(client, thing)
    }),
  )
}

export function stopwatch(tell: (line: string) => void) {
  return async (what: string, work: () => Promise<unknown>) => {
    const began = performance.now()
    await work()
    tell(`${what}: ${((performance.now() - began) / 1_000).toFixed(1)} s`)
  }
}
