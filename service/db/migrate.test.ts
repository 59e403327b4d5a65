import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../proof/testing/database.ts'
import { migrateStepwise } from '../../proof/testing/migrateStepwise.ts'
import { CannotStart } from '../kernel/index.ts'
import { assertMigrated, collectSchema, migrate } from './migrate.ts'

let database: TestDatabase
let service: string
beforeEach(async () => {
  database = await createTestDatabase({ empty: true })
  service = mkdtempSync(join(tmpdir(), 'ergon-schema-'))
})
afterEach(async () => {
  await database.drop()
  rmSync(service, { recursive: true })
})

const admin = () => database.url('ergon_admin')

/** Writes files of an invented room `shop` and collects them as the service does. */
function schemaOf(files: Record<string, string>) {
  for (const [name, sql] of Object.entries(files)) {
    const path = join(service, 'shop/schema', name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, sql)
  }
  return collectSchema(service)
}

const first = {
  '20260101T0000-goods/up.sql': 'create table shop.goods (name text primary key, price text)',
  'functions.sql': `create or replace function shop.total() returns bigint language sql
                as $$ select sum(price::bigint)::bigint from shop.goods $$`,
}
const second = {
  '20260201T0000-exact-prices/before.sql': `insert into shop.goods values ('lamp', '12')`,
  '20260201T0000-exact-prices/up.sql':
    'alter table shop.goods alter column price type bigint using price::bigint',
  '20260201T0000-exact-prices/after.sql': `do $$ begin
    assert (select price = 12 from shop.goods where name = 'lamp'), 'the lamp lost its price';
  end $$`,
}

test('an empty database is migrated once; the second time there is nothing to do', async () => {
  const { migrations, functions } = collectSchema()
  expect(await migrate(admin())).toBe(migrations.length + functions.length)
  expect(await migrate(admin())).toBe(0)
  const applied = await database.sql<{ name: string }>('select name from db.migration')
  expect(applied.map((row) => row.name).sort()).toEqual(
    migrations.map(({ room, name }) => `${room}/${name}`).sort(),
  )
})

test('migrations are applied in order of their timestamps over all rooms', () => {
  const names = collectSchema().migrations.map(({ name }) => name)
  expect(names).toEqual([...names].sort())
  expect(new Set(names).size).toBe(names.length)
})

test('every migration of the service keeps the data that was there before it', async () => {
  const done = await migrateStepwise(database)
  expect(done.length).toBeGreaterThanOrEqual(collectSchema().migrations.length)
})

test('money of the first version is still there in this one', async () => {
  const { migrations, functions } = collectSchema()
  const firstVersion = migrations.filter(({ name }) => name <= '20261115T0130-ledger')
  await migrate(admin(), { migrations: firstVersion, functions: [] })
  const id = '01930000-0000-7000-8000-000000000001'
  await database.sql(`
    insert into identity.account (id, name, created_at) values ('${id}', 'old', '2026-01-01Z');
    insert into ledger.account (id, balance_sun, version) values ('${id}', 9007199254740993, 1);
    insert into ledger.movement (kind, reference_id, id, client_id, version, balance_after_sun,
                                 debit, credit, amount_sun, description, created_at)
    values ('deposit', 'tx', '${id}', '${id}', 1, 9007199254740993,
            'asset:deposit_addresses', 'client', 9007199254740993, '', '2026-01-01Z')`)
  await migrate(admin(), { migrations, functions })
  const [row] = await database.sql<{ balance: string; moved: string }>(`
    select a.balance_sun::text as balance, m.amount_sun::text as moved
      from ledger.account a join ledger.movement m on m.client_id = a.id`)
  expect(row).toEqual({ balance: '9007199254740993', moved: '9007199254740993' })
  // What is owed begins with the sums, so that no reading goes through all movements of years.
  const sums = await database.sql(`
    select upto, movements::int, clients_sun::text as clients, escrow_sun::int as escrow,
           deposit_addresses_sun::text as assets from ledger.sums`)
  const [clients, assets] = ['9007199254740993', '9007199254740993']
  expect(sums).toEqual([{ upto: id, movements: 1, clients, escrow: 0, assets }])
})

test('the stepwise run plants old rows before a migration and checks them after it', async () => {
  schemaOf({ ...first, ...second })
  expect(await migrateStepwise(database, service)).toEqual([
    'shop/20260101T0000-goods/up.sql',
    'shop/20260201T0000-exact-prices/before.sql',
    'shop/20260201T0000-exact-prices/up.sql',
    'shop/20260201T0000-exact-prices/after.sql',
  ])
  expect(await database.sql('select shop.total()::int as total')).toEqual([{ total: 12 }])
})

test('the stepwise run fails when a migration loses old rows', async () => {
  const careless = 'truncate shop.goods; alter table shop.goods drop column price'
  schemaOf({
    ...first,
    ...second,
    '20260201T0000-exact-prices/up.sql': `${careless}; alter table shop.goods add price bigint`,
    '20260201T0000-exact-prices/after.sql': `do $$ begin
      assert exists (select from shop.goods where name = 'lamp'), 'the lamp is gone';
    end $$`,
  })
  await expect(migrateStepwise(database, service)).rejects.toThrow('the lamp is gone')
})

test('an applied migration that was edited is refused', async () => {
  await migrate(admin(), schemaOf(first))
  const edited = schemaOf({ '20260101T0000-goods/up.sql': 'create table shop.goods (id int)' })
  const again = migrate(admin(), edited)
  await expect(again).rejects.toThrow(CannotStart)
  await expect(again).rejects.toThrow('shop/20260101T0000-goods was changed after')
})

test('a function file is applied again when it changes, and only then', async () => {
  await migrate(admin(), schemaOf(first))
  const changed = schemaOf({
    'functions.sql': `create or replace function shop.total() returns bigint language sql
                  as $$ select 42::bigint $$`,
  })
  expect(await migrate(admin(), changed)).toBe(1)
  expect(await migrate(admin(), changed)).toBe(0)
  expect(await database.sql('select shop.total()::int as total')).toEqual([{ total: 42 }])
})

test('a migration that fails half-way leaves nothing of itself and says which one it was', async () => {
  const broken = schemaOf({
    ...first,
    '20260201T0000-broken/up.sql': 'create table shop.half (id int); select 1 / 0',
  })
  await expect(migrate(admin(), broken)).rejects.toThrow('shop/20260201T0000-broken')
  const [row] = await database.sql(
    `select to_regclass('shop.goods') is not null as goods, to_regclass('shop.half') as half`,
  )
  expect(row).toEqual({ goods: true, half: null })
})

test('several that start at once apply every migration exactly once', async () => {
  const { migrations, functions } = collectSchema()
  const counts = await Promise.all([1, 2, 3].map(() => migrate(admin())))
  expect(counts.sort((a, b) => a - b)).toEqual([0, 0, migrations.length + functions.length])
})

test('a process that may not migrate starts only on a schema that is complete', async () => {
  await expect(assertMigrated(admin())).rejects.toThrow(/^The database lacks .*npx ergon migrate/)
  await migrate(admin())
  await expect(assertMigrated(database.url('ergon_app'))).resolves.toBeUndefined()
})

const total = (sum: number) => ({
  'doors.sql': `create or replace function shop.total() returns bigint language sql as $$ select ${sum}::bigint $$`,
})
const totalNow = async () => (await database.sql('select shop.total()::int as total'))[0]!.total

test('a process that may not migrate starts only on the functions that it knows', async () => {
  await migrate(admin(), schemaOf({ ...first, ...total(1) }))
  const mended = schemaOf(total(2))
  const start = () => assertMigrated(database.url('ergon_app'), mended)
  await expect(start()).rejects.toThrow(
    /^The database lacks the functions of shop\/doors.sql\. Run/,
  )
  await migrate(admin(), mended)
  await expect(start()).resolves.toBeUndefined()
})

test('a process of the version before starts on newer functions, and does not put its own back', async () => {
  const before = schemaOf({ ...first, ...total(1) })
  await migrate(admin(), before)
  await migrate(admin(), schemaOf(total(2)))
  await expect(assertMigrated(database.url('ergon_app'), before)).resolves.toBeUndefined()
  expect(await migrate(admin(), before, { atStart: true })).toBe(0)
  expect(await totalNow()).toBe(2)
})

test('functions of a version before are put back by the command, and by nobody over a newer schema', async () => {
  const before = schemaOf({ ...first, ...total(1) })
  await migrate(admin(), before)
  await migrate(admin(), schemaOf(total(2)))
  expect(await migrate(admin(), before)).toBe(1)
  expect(await totalNow()).toBe(1)
  await migrate(admin(), schemaOf({ ...second, ...total(3) }))
  expect(await migrate(admin(), before)).toBe(0)
  expect(await totalNow()).toBe(3)
})

test('functions that the release before has put back are installed again at the next start', async () => {
  const mended = schemaOf({ ...first, ...total(2) })
  await migrate(admin(), mended)
  // Its code records what it has applied, and knows of no versions.
  await database.sql(total(1)['doors.sql'])
  await database.sql(`update db.function_file set hash = 'old' where name = 'shop/doors.sql'`)
  await expect(assertMigrated(database.url('ergon_app'), mended)).rejects.toThrow('shop/doors.sql')
  expect(await migrate(admin(), mended, { atStart: true })).toBe(1)
  expect(await totalNow()).toBe(2)
})

test('a function that moved to another file is installed again after a rollback', async () => {
  const before = schemaOf({ ...first, ...total(1) })
  await migrate(admin(), before)
  const moved = schemaOf({ 'doors.sql': 'select 1', 'totals.sql': total(2)['doors.sql'] })
  await migrate(admin(), moved)
  await migrate(admin(), before)
  expect(await totalNow()).toBe(1)
  await migrate(admin(), moved)
  expect(await totalNow()).toBe(2)
})
