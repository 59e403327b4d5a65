import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BooksGroup } from '@ergon/contract'
import { type Books, createBooks } from '../../service/books/index.ts'
import { type Db, ensureDatabase, migrate, openDb, startPostgres } from '../../service/db/index.ts'
import { silentLog, systemRuntime } from '../../service/kernel/index.ts'
import { type Row, type Suite, spread } from './row.ts'

// npm run bench -- report --rows 5m
// A year of orders of 1,000 clients at three marketplaces and own stake: how long its profit and loss takes.

const CLIENTS = 1_000
const CHUNK = 50_000
const ROUNDS = 3
const SECONDS_MUST = 10
const DAY_MS = 86_400_000
const GROUPINGS: BooksGroup[][] = [['day'], ['month', 'product', 'provider'], ['client']]

export const measureReport: Suite = async ({ rows: orders, rounds = ROUNDS, tell }) => {
  const folder = mkdtempSync(join(tmpdir(), 'ergon-report-'))
  const postgres = await startPostgres({ folder })
  await ensureDatabase(postgres)
  await migrate(postgres.url('ergon_admin'))
  const runtime = systemRuntime()
  const open = { runtime, log: silentLog, name: 'bench' }
  const db = await openDb({ ...open, connections: 2, urls: [postgres.url('ergon_app')] })
  const settings = { statement_timeout: '0', session_replication_role: 'replica' }
  const urls = [postgres.url('ergon_admin')]
  const admin = await openDb({ ...open, connections: 1, urls, settings })
  try {
    const end = new Date(Math.floor(Date.now() / DAY_MS) * DAY_MS)
    const range = { from: dayOf(new Date(end.getTime() - 365 * DAY_MS)), to: dayOf(end) }
    await generate(admin, { orders, end, tell })
    const books = createBooks({ db, runtime, log: silentLog })
    const countedMs = await timeOf(() => count(books, tell))
    const measured: Row[] = []
    for (const groups of GROUPINGS) {
      const taken: number[] = []
      for (let round = 0; round < rounds; round += 1) {
        taken.push((await timeOf(() => books.report(range, groups).then(() => {}))) / 1_000)
      }
      measured.push({
        figure: `a year with ${orders.toLocaleString('en-US')} orders, by ${groups.join(', ')}`,
        unit: 's',
        ...spread(taken),
        must: SECONDS_MUST,
        atMost: true,
      })
    }
    const { total, check } = await books.report(range, [])
    if (total.completed !== BigInt(orders) || check.different.length + check.uncompared > 0) {
      throw new Error(`${total.completed} orders are in the report. ${check.sentence}`)
    }
    const [size] = await admin.query<{ rows: bigint }>({
      name: 'bench.daily',
      text: 'select count(*) as rows from books.daily',
    })
    const perSecond = Math.round((orders * 1_000) / countedMs)
    return {
      rows: measured,
      remarks: [
        `${check.sentence} The sums have ${size!.rows.toLocaleString('en-US')} rows.`,
        `All movements were counted and all days compared once in ${Math.round(countedMs / 1_000)} s, ${perSecond} orders a second.`,
      ],
    }
  } finally {
    await db.close()
    await admin.close()
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

const dayOf = (at: Date) => at.toISOString().slice(0, 10)

async function timeOf(work: () => Promise<void>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

async function count(books: Books, tell: (line: string) => void) {
  for (let rounds = 1; (await books.loop.runOnce()) > 0; rounds += 1) {
    if (rounds % 100 === 0) tell(`counted in ${rounds} rounds`)
  }
}

/**
 * Each order is bought, delivered three seconds later and, if a marketplace did it, paid for. Rows are written without
 * their foreign keys: what they refer to is not read.
 */
async function generate(
  admin: Db,
  { orders, end, tell }: { orders: number; end: Date; tell: (line: string) => void },
) {
  await admin.query({
    name: 'bench.providers',
    text: `select ledger.open_providers(array['bazaar', 'souk', 'agora'])`,
  })
  for (let from = 0; from < orders; from += CHUNK) {
    const values = [from, Math.min(from + CHUNK, orders) - 1, orders, end]
    for (const [name, text] of Object.entries(INSERTS)) {
      await admin.query({ name: `bench.${name}`, text }, values)
    }
    if (from % (10 * CHUNK) === 0) tell(`${Math.min(from + CHUNK, orders)} orders generated`)
  }
  await admin.query({
    name: 'bench.settled',
    text: 'update ledger.sums set upto = (select id from ledger.movement order by id desc limit 1)',
  })
  for (const table of [
    'ledger.movement',
    'delivery.part',
    'delivery.attempt',
    'delivery.delegation',
  ]) {
    await admin.query({ name: `bench.analyze ${table}`, text: `analyze ${table}` })
  }
}

/** Orders $1 to $2 of $3, in the year before $4. `head` begins the ids of that time. */
const ORDERS = `
  (select g.n, g.at, left(db.id_at(g.at)::text, 13) as head, left(db.id_at(g.at + interval '3 s')::text, 13) as later,
          lpad(to_hex(g.n), 12, '0') as tail, (array['own_stake', 'bazaar', 'souk', 'agora'])[g.n / ${CLIENTS} % 4 + 1] as provider,
          md5((g.n % ${CLIENTS})::text)::uuid as client
     from (select n, $4::timestamptz - interval '365 days' + n * (interval '365 days' / $3::float8) as at
             from generate_series($1::bigint, $2::bigint) as n) g) o`
const idOf = (head: string, kind: number) => `(o.${head} || '-700${kind}-8000-' || o.tail)::uuid`

const INSERTS = {
  parts: `
    insert into delivery.part (id, request_id, provider, energy, state)
    select ${idOf('head', 1)}, ${idOf('head', 0)}, o.provider, 65000, 'delivered' from ${ORDERS}`,
  attempts: `
    insert into delivery.attempt (id, part_id, provider, state, energy, created_at)
    select ${idOf('head', 2)}, ${idOf('head', 1)}, o.provider, 'delivered', 65000, o.at from ${ORDERS}`,
  delegations: `
    insert into delivery.delegation (txid, attempt_id, owner_address, receiver_address, stake_sun, energy, block_number,
                                     delegated_at, reclaim_at, reclaimed_at, provider)
    select o.tail, ${idOf('head', 2)}, 'T', 'T', 1, 65000, 1, o.at, o.at, o.at, o.provider from ${ORDERS}`,
  purchases: `
    insert into ledger.movement (kind, reference_id, id, client_id, version, balance_after_sun, debit, credit, amount_sun,
                                 description, created_at)
    select 'purchase', ${idOf('head', 0)}::text, ${idOf('head', 3)}, o.client, o.n / ${CLIENTS} + 1, 0, 'client', 'escrow:orders',
           1950000, '', o.at from ${ORDERS}`,
  deliveries: `
    insert into ledger.movement (kind, reference_id, id, debit, credit, amount_sun, description, created_at)
    select 'deliver', ${idOf('head', 0)}::text, ${idOf('later', 4)}, 'escrow:orders', 'income:energy', 1950000, '',
           o.at + interval '3 s' from ${ORDERS}`,
  costs: `
    insert into ledger.movement (kind, reference_id, id, debit, credit, amount_sun, description, created_at)
    select 'provider_cost', ${idOf('head', 2)}::text, ${idOf('later', 5)}, 'cost:provider:' || o.provider,
           'asset:provider_float:' || o.provider, 1170000, '', o.at + interval '3 s'
      from ${ORDERS} where o.provider <> 'own_stake'`,
}
