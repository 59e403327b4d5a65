import { tmpdir } from 'node:os'
import { toBase58 } from '@ergon/tron'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { formatTrx } from '../../service/kernel/index.ts'
import { openTestApp, type TestApp } from '../testing/app.ts'
import { findPgbench, preparePgbench, runPgbench } from './pgbench.ts'
import { type BenchAccount, OFFER, seedAccounts } from './seed.ts'

// The bench's baselines must write what the service writes, otherwise the comparison means nothing.

const AMOUNT = 65_000
const PURCHASES = 3
const pgbench = findPgbench()

let app: TestApp
let accounts: BenchAccount[]
let receiver: string
beforeAll(async () => {
  app = await openTestApp({ role: 'api', scans: true })
  receiver = toBase58(app.devnet.chain.network.funded[0]!.address)
  await app.database.sql(OFFER)
  await app.rooms.providers.refresh().catch(() => {})
  accounts = await seedAccounts(app, 1)
})
afterAll(() => app.close())

/**
 * Rows of all our tables as text, with ids, times and serial numbers made equal. The scanner's
 * tables are left out, because it reads blocks meanwhile, and keys: their last use is written beside a purchase.
 */
async function rowsOfAllTables(): Promise<Map<string, string[]>> {
  const tables = await app.database.sql<{ name: string }>(`
    select format('%I.%I', n.nspname, c.relname) as name
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind = 'r' and n.nspname not in ('pg_catalog', 'information_schema', 'http', 'providers', 'chain')
       and c.oid <> 'identity.api_key'::regclass`)
  const rows = new Map<string, string[]>()
  for (const { name } of tables) {
    const found = await app.database.sql<{ row: string }>(`select t::text as row from ${name} t`)
    rows.set(name, found.map(({ row }) => anonymous(row)).sort())
  }
  return rows
}

function anonymous(row: string): string {
  return (
    row
      .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'ID')
      .replaceAll(/"?\d{4}-\d\d-\d\d \d\d:\d\d:\d\d[.\d]*\+00"?/g, 'TIME')
      .replaceAll(/(?:bench|pgbench)-ID/g, 'KEY')
      .replaceAll(/\d{12,}/g, 'BALANCE')
      .replaceAll(/,\d{1,3},/g, ',NUMBER,')
      // The transaction that wrote an event.
      .replace(/,\d+\)$/, ',NUMBER)')
      .replaceAll(/(["']entry_id["']) ?: ?/g, '$1:')
  )
}

async function account(): Promise<{ balance: bigint; version: bigint }> {
  const [row] = await app.database.sql<{ balance: string; version: string }>(
    `select balance_sun as balance, version from ledger.account where id = $1`,
    [accounts[0]!.id],
  )
  return { balance: BigInt(row!.balance), version: BigInt(row!.version) }
}

/**
 * The rows a writer adds to each table and its change of the account; other tables are left out.
 */
async function writtenBy(work: () => Promise<unknown>): Promise<Record<string, unknown>> {
  const [before, had] = [await rowsOfAllTables(), await account()]
  await work()
  const has = await account()
  const written: Record<string, unknown> = {
    spent: had.balance - has.balance,
    movements: has.version - had.version,
  }
  for (const [table, rows] of await rowsOfAllTables()) {
    const left = [...before.get(table)!]
    const added = rows.filter((row) => {
      const place = left.indexOf(row)
      if (place >= 0) left.splice(place, 1)
      return place < 0
    })
    if (added.length > 0 || rows.length !== before.get(table)!.length) written[table] = added
  }
  return written
}

async function buy(count: number) {
  for (let n = 0; n < count; n++) {
    const answer = await app.call('POST', '/v1/buy', {
      key: accounts[0]!.key,
      headers: { 'idempotency-key': `bench-${crypto.randomUUID()}` },
      body: { receiver_address: receiver, resource_amount: AMOUNT },
    })
    if (answer.status !== 200) throw new Error(answer.text)
  }
}

test.skipIf(!pgbench).each(['interactive', 'writes-only', 'one-function'] as const)(
  'pgbench, script %s, writes the rows that POST /buy writes',
  async (script) => {
    const price = app.rooms.pricing.priceFor(accounts[0]!.id, BigInt(AMOUNT))
    const admin = { query: (text: string) => app.database.sql(text) }
    await preparePgbench(admin, { accounts, receiver, priceTrx: formatTrx(price) })
    const byService = await writtenBy(() => buy(PURCHASES))
    const byPgbench = await writtenBy(() =>
      runPgbench(pgbench!, {
        url: app.database.url('ergon_admin'),
        script,
        clients: 1,
        accounts: 1,
        amount: AMOUNT,
        price,
        transactions: PURCHASES,
        folder: tmpdir(),
      }),
    )
    expect(Object.keys(byService)).toEqual(
      expect.arrayContaining([
        'orders.purchase_order',
        'ledger.movement',
        'orders.idempotency_key',
      ]),
    )
    expect(byPgbench).toEqual(byService)
  },
)
