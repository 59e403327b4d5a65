import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../proof/testing/database.ts'
import { testRuntime } from '../../proof/testing/runtime.ts'
import { type Db, openDb } from '../db/index.ts'
import { silentLog } from '../kernel/index.ts'
import { createBooks } from './index.ts'

// A report reads the fewest sums that know its groups, and shows beside them what is worked out.

const runtime = testRuntime()
let database: TestDatabase
let db: Db
let books: ReturnType<typeof createBooks>
beforeAll(async () => {
  database = await createTestDatabase()
  const urls = [database.url('ergon_app')]
  db = await openDb({ urls, connections: 3, runtime, log: silentLog, name: 'test' })
  books = createBooks({ db, runtime, log: silentLog })
})
afterAll(async () => {
  await db.close()
  await database.drop()
})
beforeEach(() => database.sql('truncate books.daily'))

const all = { from: '2020-01-01', to: '2099-01-01' }

test('what own stake had to earn stands beside the margin, divided at midnight, and is not booked', async () => {
  const owner = `41${'ab'.repeat(20)}`
  const costing = (at: string, beganAt: string) =>
    database.sql(
      `with c as (insert into providers.stake_costing (at, began_at, upto_block, yield_bps, floor_bps, days, unit_sun)
                  values ($1, $2, 0, 3650, 8000, 7, 15) returning at)
       insert into providers.stake_cost
       select c.at, $3, 864000000000, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 15, false from c`,
      [at, beganAt, owner],
    )
  const before = await books.report(all, [])
  await costing('2026-03-01T22:00:00Z', '2026-03-01T22:00:00Z')
  await costing('2026-03-02T06:00:00Z', '2026-03-01T22:00:00Z')
  await costing('2026-03-02T07:00:00Z', '2026-03-02T06:00:00Z')
  // 864,000 TRX at 36.5 % a year are 864 TRX a day and 36 TRX an hour.
  const march = { from: '2026-03-01', to: '2026-04-01' }
  const { rows, total } = await books.report(march, ['day'])
  const shown = rows.map(({ day, margin, stakeCost, marginAfterStake }) => {
    return { day, margin, stakeCost, marginAfterStake }
  })
  const trx = (amount: bigint) => amount * 1_000_000n
  expect(shown).toEqual([
    { day: '2026-03-01', margin: 0n, stakeCost: trx(72n), marginAfterStake: -trx(72n) },
    { day: '2026-03-02', margin: 0n, stakeCost: trx(252n), marginAfterStake: -trx(252n) },
  ])
  expect(total).toMatchObject({ margin: 0n, stakeCost: trx(324n), marginAfterStake: -trx(324n) })
  const [second] = (await books.report({ from: '2026-03-02', to: '2026-03-03' }, ['month'])).rows
  expect(second).toMatchObject({ month: '2026-03', stakeCost: trx(252n) })
  const after = await books.report(all, [])
  expect([after.total.margin, after.check]).toEqual([before.total.margin, before.check])
  expect(await database.sql('select from ledger.movement')).toEqual([])
})

test('every source of sums gives the same figures, whichever days are asked for', async () => {
  const days = ['01-01', '01-02', '01-21', '02-01', '02-28', '03-01', '03-02', '03-04']
  const bounds = days.map((day) => `2026-${day}`)
  const clients = ['c001', 'c002'].map((end) => `01930000-0000-7000-8000-00000000${end}`)
  for (const [place, day] of bounds.entries()) {
    for (const client of [...clients, null]) {
      await database.sql(
        `insert into books.daily (day, of_day, product, client_id, provider, line, amount_sun, movements)
         values ($1, $1, 'api', $2, 'bazaar', 'revenue', $3, 1), ($1, $1, 'api', $2, '', 'goodwill', -7, 1)`,
        [day, client, 1000 + 10 ** (place % 3)],
      )
    }
  }
  // Changed sums are in all sources as well.
  await database.sql(`update books.daily set amount_sun = amount_sun + 3 where day = '2026-02-01'`)
  await database.sql(`delete from books.daily where day = '2026-01-02'`)
  for (const [at, from] of bounds.entries()) {
    for (const to of bounds.slice(at + 1)) {
      const range = { from, to }
      const daily = await books.report(range, ['day', 'client'])
      const monthly = await books.report(range, ['month', 'client'])
      const total = await books.report(range, [])
      expect([from, to, monthly.total]).toEqual([from, to, daily.total])
      expect([from, to, total.total]).toEqual([from, to, daily.total])
      const summed = new Map<string, bigint>()
      for (const { day, client, margin } of daily.rows) {
        const name = `${day!.slice(0, 7)} ${client}`
        summed.set(name, (summed.get(name) ?? 0n) + margin)
      }
      const rows = monthly.rows.map(({ month, client, margin }) => [`${month} ${client}`, margin])
      expect(rows.toSorted()).toEqual([...summed].toSorted())
    }
  }
})
