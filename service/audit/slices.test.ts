import type { Devnet } from '@ergon/devnet'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  at,
  type Books,
  moreMovements,
  numbered,
  ORDER,
  openBooks,
} from '../../proof/testing/books.ts'
import { openDevnet } from '../../proof/testing/world.ts'
import { connectClient } from '../db/index.ts'
import { invariants } from './invariants.ts'
import { SLICE } from './prove.sql.ts'
import { proveAll } from './prove.ts'

const MOVEMENTS = 2 * SLICE + 500
const checks = invariants.flatMap((one) => one.checks)

let devnet: Devnet
let books: Books
beforeAll(async () => {
  devnet = await openDevnet()
  books = await openBooks(devnet)
  await books.sql(moreMovements(MOVEMENTS))
})
afterAll(async () => {
  await books.close()
  await devnet.close()
})

test('no slice is larger than the rest, and together they are all rows', async () => {
  for (const check of checks.filter(({ table }) => table === 'movement')) {
    const slices: number[] = []
    expect(await proveAll(books.app.db, check, (rows) => slices.push(rows))).toEqual([])
    expect([check.name, slices]).toEqual([check.name, [SLICE, SLICE, 502]])
  }
})

test('a slice finds what belongs to its rows by keys, whatever the planner knows', async () => {
  const client = await connectClient({ connectionString: books.database.url('ergon_admin') })
  await client.query(`set enable_seqscan = off; set plan_cache_mode = force_generic_plan`)
  const growing =
    /Seq Scan on (movement|purchase_order|charge|payment|deposit|delegation|idempotency_key)\b/
  for (const { name, slice } of checks) {
    const { rows } = await client.query(`explain (generic_plan) ${slice.text}`)
    const lines = rows.map((row) => Object.values(row)[0] as string)
    expect([name, lines.filter((line) => growing.test(line))]).toEqual([name, []])
  }
  await client.end()
})

test('the checkpoint waits for a smaller key that is committed later', async () => {
  const late = await connectClient({ connectionString: books.database.url('ergon_admin') })
  await late.query('begin')
  // Older than all others, with an amount that is in no balance.
  await late.query(
    `insert into ledger.movement (kind, reference_id, id, debit, credit, amount_sun, description, created_at)
     values ('adjustment', 'late', '${numbered(1)}', 'escrow:orders', 'equity:operator', 1, '', ${at})`,
  )
  await books.run()
  books.elapse(1)
  await books.run()
  await late.query('commit')
  await late.end()
  await books.run()
  expect(await books.found()).toEqual(['M7'])
  await books.sql(`delete from ledger.movement where reference_id = 'late'`)
  await books.sql(`delete from audit.finding where true`)
})

test('a service without checkpoints begins a day back; the full pass looks at the rest', async () => {
  const old = await openBooks(devnet)
  await old.sql(
    `insert into ledger.movement (kind, reference_id, id, debit, credit, amount_sun, description, created_at)
     values ('adjustment', 'old', '01000000-0000-7000-8000-000000000000', 'escrow:orders', 'equity:operator', 1, '', ${at})`,
  )
  await old.run()
  expect(await old.found()).toEqual([])
  await old.pass()
  expect(await old.found()).toContain('M7')
  await old.close()
})

test('an order under way holds its checkpoint, and no other', async () => {
  books.elapse(3)
  await books.run()
  const rows = await books.sql<{ name: string; proven: string | null }>(
    `select name, proven from audit.progress`,
  )
  const proven = new Map(rows.map((row) => [row.name, row.proven]))
  const [newest] = await books.sql(`select id from ledger.movement order by id desc limit 1`)
  expect(proven.get('chains')).toBe(newest!.id)
  expect(proven.get('ends')! < ORDER).toBe(true)
})

test('a sealed movement cannot be changed, although every sum fits', async () => {
  books.elapse(61)
  await books.run()
  await books.pass()
  const seals = await books.sql(`select movements::int from audit.seal`)
  expect(seals).toEqual([{ movements: SLICE }, { movements: SLICE }])
  expect(await books.found()).toEqual([])
  await books.sql(`update ledger.movement set description = 'gift'
                    where id = (select m.id from ledger.movement m order by m.id offset 7 limit 1)`)
  expect((await books.app.rooms.audit.run())?.invariant).toBe('M26')
  await books.sql(`delete from audit.finding where true`)
  await books.pass()
  expect(new Set(await books.found())).toEqual(new Set(['M26']))
})

test('a movement that the sums of the ledger do not hold is found', async () => {
  const old = await openBooks(devnet)
  await old.sql(`update db.clock set ahead_ms = 600000`)
  await old.sql(moreMovements(200))
  const [added] = await old.sql(
    `select ledger.add_up('ffffffff-ffff-ffff-ffff-ffffffffffff', 1000)::int as movements`,
  )
  expect(added).toEqual({ movements: 202 })
  await old.pass()
  expect(await old.app.rooms.audit.run()).toBeUndefined()
  expect(await old.found()).toEqual([])
  // By hand: the functions of the ledger refuse it.
  await old.sql(
    `insert into ledger.movement (kind, reference_id, id, debit, credit, amount_sun, description, created_at)
     values ('adjustment', 'late', '${numbered(1)}', 'asset:hot', 'equity:operator', 1, '', ${at})`,
  )
  expect((await old.app.rooms.audit.run())?.invariant).toBe('M27')
  await old.sql(`delete from audit.finding where true`)
  await old.pass()
  expect(new Set(await old.found())).toEqual(new Set(['M27']))
  await old.close()
})
