import type { Devnet } from '@ergon/devnet'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openTestApp, type TestApp } from '../../proof/testing/app.ts'
import { createTestDatabase, type TestDatabase } from '../../proof/testing/database.ts'
import { allStatements } from '../db/index.ts'
import { invariants } from './invariants.ts'

// Each invariant is broken on purpose, once, behind the doors' back; the auditor must name it.

const A = '01a1dd1e-0000-7000-8000-00000000000a'
const ORDER = '01a1dd1e-0000-7000-8000-00000000000b'
const at = `'2026-11-15T00:00:00Z'::timestamptz`

const account = `
  insert into identity.account (id, name, created_at) values ('${A}', 'a', ${at});
  insert into ledger.account (id, balance_sun, version) values ('${A}', 70, 2);
  insert into ledger.movement (kind, reference_id, id, client_id, version, balance_after_sun, debit, credit, amount_sun, description, created_at) values
    ('deposit', 'tx', gen_random_uuid(), '${A}', 1, 100, 'asset:deposit_addresses', 'client', 100, '', ${at}),
    ('purchase', '${ORDER}', gen_random_uuid(), '${A}', 2, 70, 'client', 'escrow:orders', 30, '', ${at});
  insert into deposits.deposit (id, account_id, txid, position, address, amount_sun, status, block_number, expires_at, posted, credited_at, created_at)
    values (gen_random_uuid(), '${A}', 'tx', 0, 'T', 100, 'confirmed', 1, ${at}, true, ${at}, ${at});
  insert into orders.purchase_order (id, account_id, number, status, resource_amount, receiver_address, buyer_address, price_sun, source, trace, created_at, updated_at)
    values ('${ORDER}', '${A}', 1, 'PROCESSING', 65000, 'T', '', 30, 'api', '', ${at}, ${at});
  insert into events.event (id, account_id, type, subject, created_at, trace, data)
    select gen_random_uuid(), '${A}', 'balance.changed', m.id::text, ${at}, '', '{}' from ledger.movement m;`

/** A closed subscription with one activation charged, and books that say so. */
const subscription = `
  insert into autoenergy.subscription (id, account_id, address, status, plan_name, activation_fee_sun, daily_sub_sun, unit_price_65k_sun,
      unit_price_131k_sun, idle_hours, requested_at, closed_at, close_reason, created_at)
    values ('${ORDER}', '${A}', 'T', 'closed', 'p', 10, 1, 2, 4, 24, ${at}, ${at}, 'manual', ${at});
  insert into autoenergy.charge values (gen_random_uuid(), '${ORDER}', '${A}', 'autoenergy_activate', 'r', 1, 10, false, ${at}, ${at});
  insert into ledger.movement (kind, reference_id, id, client_id, version, balance_after_sun, debit, credit, amount_sun, description, created_at)
    values ('autoenergy_activate', 'r', gen_random_uuid(), '${A}', 3, 60, 'client', 'income:fees', 10, '', ${at});
  update ledger.account set balance_sun = 60, version = 3;
  insert into events.event (id, account_id, type, subject, created_at, trace, data)
    select gen_random_uuid(), '${A}', 'balance.changed', m.id::text, ${at}, '', '{}' from ledger.movement m where m.version = 3;`

/** What a door of the database would refuse, before the auditor could see it. */
const unguarded = `alter table orders.purchase_order disable trigger order_changes_with_its_state;`

const sabotage: Record<string, string> = {
  M2: `update ledger.movement set balance_after_sun = 71 where version = 2`,
  M3: `update ledger.movement set amount_sun = 101, balance_after_sun = 101 where version = 1;
       insert into audit.checkpoint values ('${A}', 2, 70)`,
  M4: `update ledger.movement set amount_sun = 200, balance_after_sun = -100 where version = 2;
       update ledger.account set balance_sun = -100, overdrawn = true;
       ${unguarded} update orders.purchase_order set price_sun = 200`,
  M6: `insert into ledger.movement (kind, reference_id, id, debit, credit, amount_sun, description, created_at)
       values ('deliver', '${ORDER}', gen_random_uuid(), 'escrow:orders', 'income:energy', 30, '', ${at})`,
  M7: `${unguarded} update orders.purchase_order set price_sun = 31`,
  M8: `insert into ledger.movement (kind, reference_id, id, client_id, version, balance_after_sun, debit, credit, amount_sun, description, created_at)
       values ('refund', '${ORDER}', gen_random_uuid(), '${A}', 3, 99, 'escrow:orders', 'client', 29, '', ${at});
       update ledger.account set balance_sun = 99, version = 3;
       update orders.purchase_order set status = 'FAILED', error_message = 'x' where true;
       insert into ledger.movement (kind, reference_id, id, debit, credit, amount_sun, description, created_at)
       values ('adjustment', 'x', gen_random_uuid(), 'escrow:orders', 'income:energy', 1, '', ${at})`,
  M9: `update deposits.deposit set posted = false, status = 'pending', credited_at = null`,
  M11: `update orders.purchase_order set status = 'COMPLETED', completed_at = ${at}, delegation_txids = '{t}';
        insert into ledger.movement (kind, reference_id, id, debit, credit, amount_sun, description, created_at)
        values ('deliver', '${ORDER}', gen_random_uuid(), 'escrow:orders', 'income:energy', 30, '', ${at})`,
  M13: `${subscription} update autoenergy.subscription set tx_used_total = 1`,
  M14: `${subscription} update autoenergy.subscription set closed_at = closed_at - interval '1 hour'`,
  M15: `insert into agent.payment (id, account_id, config_id, txid, position, payer, amount_sun, units, energy, cost_sun,
          status, order_id, block_time, expires_at, try_after, created_at, decided_at)
        values (gen_random_uuid(), '${A}', gen_random_uuid(), 't', 0, 'T', 50, 1, 65000, 30,
          'delivering', '${ORDER}', ${at}, ${at}, ${at}, ${at}, ${at})`,
  M16: `update ledger.movement set kind = 'agent_charge' where kind = 'purchase'`,
  M17: `insert into orders.idempotency_key values ('${A}', 'k', gen_random_uuid(), '{}', ${at})`,
  M19: `delete from events.event where true`,
  M23: `${unguarded} update orders.purchase_order set number = 2`,
  M24: `${subscription} update autoenergy.subscription set reserved_sun = 7`,
  M25: `insert into deposits.payout (id, account_id, to_address, amount_sun, reason, requested_by, requested_at,
          approved_by, approved_at, state)
        values (gen_random_uuid(), '${A}', 'T' || repeat('a', 33), 5, 'gift', 'ann', ${at}, 'bob', ${at}, 'approved')`,
}

/** Without loops: the books here are made up, and whoever works on them would change what is looked for. */
const openStillApp = (database: TestDatabase, devnet?: Devnet) =>
  openTestApp({
    database,
    ...(devnet && { devnet }),
    role: 'api',
    databaseUrls: [database.url('ergon_app')],
  })

describe('the auditor', () => {
  let database: TestDatabase
  let app: TestApp
  beforeAll(async () => {
    database = await createTestDatabase()
    app = await openStillApp(database)
    await database.sql(account)
  })
  afterAll(async () => {
    await app.close()
    await database.drop()
  })

  test('finds nothing wrong with sound books, and goes on selling', async () => {
    expect(await app.rooms.audit.run()).toBeUndefined()
    expect(await app.rooms.orders.selling()).toMatchObject({ enabled: true })
    await database.sql(`delete from audit.checkpoint where true`)
  })

  test('several at once all find the same', async () => {
    const all = [1, 2, 3, 4].map(() => app.rooms.audit.run())
    expect(await Promise.all(all)).toEqual(all.map(() => undefined))
    await database.sql(`delete from audit.checkpoint where true`)
  })

  test('has a planted break for every invariant', () => {
    expect(Object.keys(sabotage)).toEqual(invariants.map(({ name }) => name))
  })

  for (const [name, sql] of Object.entries(sabotage)) {
    test(`${name}: names it, keeps an example and stops selling`, async () => {
      const spoiled = await createTestDatabase()
      const spoiledApp = await openStillApp(spoiled, app.devnet)
      await spoiled.sql(account)
      await spoiled.sql(sql)
      const finding = await spoiledApp.rooms.audit.run()
      expect(finding?.invariant).toBe(name)
      expect(finding?.rows.length).toBeGreaterThan(0)
      expect(await spoiledApp.rooms.orders.selling()).toMatchObject({ enabled: false })
      expect(await spoiledApp.rooms.autoenergy.enabled()).toMatchObject({ enabled: false })
      const kept = await spoiled.sql(`select invariant from audit.finding`)
      expect(kept).toEqual([{ invariant: name }])
      await spoiledApp.close()
      await spoiled.drop()
    })
  }
})

test('every look at the books is planned for all of them, not for the first ten faults', async () => {
  const database = await createTestDatabase()
  const looks = allStatements().filter(({ name }) => name.startsWith('audit.broken'))
  expect(looks.length).toBeGreaterThan(10)
  for (const { name, text } of looks) {
    const plan = await database.sql<Record<string, string>>(`explain ${text}`)
    const lines = plan.map((row) => Object.values(row)[0]!.trim())
    // A part that is planned by itself knows nothing of the limit around it.
    expect(lines, name).toContain('CTE b')
  }
  await database.drop()
})
