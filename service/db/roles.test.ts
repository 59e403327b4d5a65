import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../proof/testing/database.ts'

const ACCOUNT = '01930000-0000-7000-8000-000000000001'
const MOVEMENT = '01930000-0000-7000-8000-000000000002'
let database: TestDatabase
let app: pg.Client
beforeAll(async () => {
  database = await createTestDatabase()
  app = new pg.Client({ connectionString: database.url('ergon_app') })
  await app.connect()
  await app.query(`insert into identity.account (id, name, created_at) values ($1, '', now())`, [
    ACCOUNT,
  ])
})
afterAll(async () => {
  await app.end()
  await database.drop()
})

test.each([
  `update ledger.account set balance_sun = balance_sun + 1`,
  `insert into ledger.account (id) values ('${ACCOUNT}')`,
  `delete from ledger.account`,
  `truncate ledger.movement`,
  `insert into ledger.movement (kind, reference_id, id, debit, credit, amount_sun, description, created_at)
   values ('deposit', 'x', '${MOVEMENT}', 'asset:hot', 'equity:operator', 1, '', now())`,
  `update ledger.movement set amount_sun = 1`,
  `delete from ledger.movement`,
  `insert into ledger.kind values ('mine', true)`,
  `update ledger.kind set may_overdraw = true`,
  `insert into ledger.own_account values ('asset:mine')`,
  `update events.event set type = 'x'`,
  `delete from events.event`,
  `update db.migration set hash = 'x'`,
  `alter table ledger.account disable trigger all`,
  `create table public.mine (id int)`,
  `create schema mine`,
  `set role ergon_owner`,
])('the service may not: %s', async (sql) => {
  await expect(app.query(sql)).rejects.toMatchObject({ code: '42501' })
})

test('the service moves money through the functions of the ledger', async () => {
  await app.query('select ledger.open_account($1)', [ACCOUNT])
  await app.query(
    `select ledger.post_many(array[$1::uuid], array[$2::uuid], array['deposit'], array['tx-1'],
       array[5000000::bigint], array['asset:deposit_addresses'], array['Deposit'], array[now()],
       array['trace'], array[gen_random_uuid()], array[gen_random_uuid()])`,
    [MOVEMENT, ACCOUNT],
  )
  const { rows } = await app.query('select balance_sun, version from ledger.account')
  expect(rows).toEqual([{ balance_sun: '5000000', version: '1' }])
})

test('no role of the service is a superuser, and the owner cannot log in', async () => {
  const roles = await database.sql(`
    select rolname as name, rolsuper as super, rolcanlogin as login, rolbypassrls as bypass
      from pg_roles where rolname in ('ergon_owner', 'ergon_api', 'ergon_app', 'ergon_signer') order by rolname`)
  expect(roles).toEqual([
    { name: 'ergon_api', super: false, login: true, bypass: false },
    { name: 'ergon_app', super: false, login: true, bypass: false },
    { name: 'ergon_owner', super: false, login: false, bypass: false },
    { name: 'ergon_signer', super: false, login: true, bypass: false },
  ])
})

test.each([`select events.drop_before(now(), 1)`, `select ledger.add_up('${MOVEMENT}', 1)`])(
  'HTTP processes may not: %s',
  async (sql) => {
    const api = new pg.Client({ connectionString: database.url('ergon_api') })
    await api.connect()
    await expect(api.query(sql)).rejects.toMatchObject({ code: '42501' })
    await api.end()
  },
)

test('the signer sees neither keys nor money', async () => {
  const signer = new pg.Client({ connectionString: database.url('ergon_signer') })
  await signer.connect()
  const closed = ['identity.api_key', 'ledger.account', 'ledger.movement', 'events.event']
  for (const sql of [
    ...closed.map((t) => `table ${t}`),
    `select ledger.open_account('${ACCOUNT}')`,
  ]) {
    await expect(signer.query(sql)).rejects.toMatchObject({ code: '42501' })
  }
  await signer.end()
})

test('every definer function fixes its search path, so nobody can slip a table under it', async () => {
  const loose = await database.sql(`
    select n.nspname || '.' || p.proname as name
      from pg_proc p join pg_namespace n on n.oid = p.pronamespace
     where p.prosecdef and not coalesce(p.proconfig @> array['search_path=""'], false)
       and n.nspname not in ('pg_catalog', 'information_schema')`)
  expect(loose).toEqual([])
})

test('no table is open to a role that was not named', async () => {
  const exposed = await database.sql(`
    select n.nspname || '.' || c.relname as name
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where has_table_privilege('public', c.oid, 'select, insert, update, delete')
       and n.nspname not in ('pg_catalog', 'information_schema') and c.relkind in ('r', 'p', 'v')`)
  expect(exposed).toEqual([])
})

test('what locks accounts, and what sums are made of, is open to the service alone', async () => {
  const open = await database.sql(`
    select p.proname as name
      from pg_proc p join pg_namespace n on n.oid = p.pronamespace
     where n.nspname = 'ledger' and has_function_privilege('public', p.oid, 'execute')
       and p.proname in ('try_lock_account', 'try_lock_accounts', 'sum_up', 'add_up', 'read_owed', 'refuse_older')`)
  expect(open).toEqual([])
})

test('HTTP processes write this and no more where money moves', async () => {
  const rights = await database.sql<{ may: string }>(`
    select n.nspname || '.' || c.relname || ' ' || p.name as may
      from pg_class c join pg_namespace n on n.oid = c.relnamespace,
           unnest(array['insert', 'update', 'delete', 'truncate']) as p(name)
     where n.nspname in ('chain', 'deposits', 'ledger', 'signing', 'audit') and c.relkind in ('r', 'p')
       and (has_table_privilege('ergon_api', c.oid, p.name)
            or (p.name in ('insert', 'update') and has_any_column_privilege('ergon_api', c.oid, p.name)))
     order by 1`)
  expect(rights.map(({ may }) => may)).toEqual([
    'audit.checkpoint insert',
    'audit.checkpoint update',
    'audit.finding insert',
    'chain.caller insert',
    'chain.watched insert',
    'deposits.payout insert',
    'deposits.payout update',
    'deposits.reconciliation insert',
    'deposits.reconciliation update',
    'deposits.switch update',
    'signing.approval insert',
    'signing.approval update',
    'signing.cancellation insert',
  ])
})

test('HTTP processes turn signing off, and ask for no signature', async () => {
  const api = new pg.Client({ connectionString: database.url('ergon_api') })
  await api.connect()
  for (const sql of [
    `insert into signing.request (id, purpose, owner_address, raw_bytes, txid, expires_at, created_at)
     values ('${MOVEMENT}', 'payout', 'a', 'b', 'c', now(), now())`,
    `update signing.request set handed_over = false`,
    `update signing.switch set enabled = true`,
    `select signing.orphan_outflows(1)`,
    `update deposits.payout set to_address = 'T'`,
    `update deposits.payout set attempt = 2`,
    `update deposits.payout set txid = null`,
    `set role ergon_app`,
  ]) {
    await expect(api.query(sql)).rejects.toMatchObject({ code: '42501' })
  }
  await api.query(`select signing.turn_off('a test')`)
  expect(await database.sql('select enabled, reason from signing.switch')).toEqual([
    { enabled: false, reason: 'a test' },
  ])
  await api.end()
})
