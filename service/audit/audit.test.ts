import type { Devnet } from '@ergon/devnet'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  ACCOUNT,
  at,
  type Books,
  id,
  numbered,
  ORDER,
  openBooks,
} from '../../proof/testing/books.ts'
import { openDevnet } from '../../proof/testing/world.ts'
import { invariants } from './invariants.ts'

// Each invariant is broken on purpose, once, by direct SQL; the auditor must name it.

const B = numbered(12)

/** A closed subscription with one charged activation, and matching books. */
const subscription = `
  insert into autoenergy.subscription (id, account_id, address, status, plan_name, activation_fee_sun, daily_sub_sun, unit_price_65k_sun,
      unit_price_131k_sun, idle_hours, requested_at, closed_at, close_reason, created_at)
    values ('${ORDER}', '${ACCOUNT}', 'T', 'closed', 'p', 10, 1, 2, 4, 24, ${at}, ${at}, 'manual', ${at});
  insert into autoenergy.charge values (${id}, '${ORDER}', '${ACCOUNT}', 'autoenergy_activate', 'r', 1, 10, false, ${at}, ${at});
  insert into ledger.movement (kind, reference_id, id, client_id, version, balance_after_sun, debit, credit, amount_sun, description, created_at)
    values ('autoenergy_activate', 'r', ${id}, '${ACCOUNT}', 3, 60, 'client', 'income:fees', 10, '', ${at});
  update ledger.account set balance_sun = 60, version = 3;
  insert into events.event (id, account_id, type, subject, created_at, trace, data)
    select ${id}, '${ACCOUNT}', 'balance.changed', m.id::text, ${at}, '', '{}' from ledger.movement m where m.version = 3;`

/** Disables the trigger that would refuse the change before the auditor could see it. */
const unguarded = `alter table orders.purchase_order disable trigger order_changes_with_its_state;`

const sabotage: Record<string, string> = {
  M2: `update ledger.movement set balance_after_sun = 101, amount_sun = 101 where version = 1`,
  M3: `update ledger.account set balance_sun = 71`,
  M4: `update ledger.movement set amount_sun = 200, balance_after_sun = -100 where version = 2;
       update ledger.account set balance_sun = -100, overdrawn = true;
       ${unguarded} update orders.purchase_order set price_sun = 200`,
  M6: `insert into ledger.movement (kind, reference_id, id, debit, credit, amount_sun, description, created_at)
       values ('deliver', '${ORDER}', ${id}, 'escrow:orders', 'income:energy', 30, '', ${at})`,
  M7: `${unguarded} update orders.purchase_order set price_sun = 31`,
  M8: `insert into identity.account (id, name, created_at) values ('${B}', 'b', ${at});
       insert into ledger.account (id, balance_sun, version) values ('${B}', 30, 1);
       insert into ledger.movement (kind, reference_id, id, client_id, version, balance_after_sun, debit, credit, amount_sun, description, created_at)
       values ('refund', '${ORDER}', ${id}, '${B}', 1, 30, 'escrow:orders', 'client', 30, '', ${at});
       update orders.purchase_order set status = 'FAILED', error_message = 'x' where true`,
  M9: `update deposits.deposit set posted = false, status = 'pending', credited_at = null`,
  M11: `update orders.purchase_order set status = 'COMPLETED', completed_at = ${at}, delegation_txids = '{t}';
        insert into ledger.movement (kind, reference_id, id, debit, credit, amount_sun, description, created_at)
        values ('deliver', '${ORDER}', ${id}, 'escrow:orders', 'income:energy', 30, '', ${at})`,
  M13: `update autoenergy.subscription set tx_used_total = 1`,
  M14: `update autoenergy.subscription set closed_at = closed_at - interval '1 hour'`,
  M15: `insert into agent.payment (id, account_id, config_id, txid, position, payer, amount_sun, units, energy, cost_sun,
          status, order_id, block_time, expires_at, try_after, created_at, decided_at)
        values (${id}, '${ACCOUNT}', ${id}, 't', 0, 'T', 50, 1, 65000, 30,
          'delivering', '${ORDER}', ${at}, ${at}, ${at}, ${at}, ${at})`,
  M16: `update ledger.movement set kind = 'agent_charge' where kind = 'purchase'`,
  M17: `insert into orders.idempotency_key values ('${ACCOUNT}', 'k', ${id}, '{}', ${at})`,
  M19: `delete from events.event where true`,
  M23: `${unguarded} update orders.purchase_order set number = 2`,
  M24: `update autoenergy.subscription set reserved_sun = 7`,
  M25: `insert into deposits.payout (id, account_id, to_address, amount_sun, reason, requested_by, requested_at,
          approved_by, approved_at, state)
        values (${id}, '${ACCOUNT}', 'T' || repeat('a', 33), 5, 'gift', 'ann', ${at}, 'bob', ${at}, 'approved')`,
  M26: `insert into ledger.movement (kind, reference_id, id, client_id, version, balance_after_sun, debit, credit, amount_sun, description, created_at)
        values ('reclaim_credit', '${ORDER}:t', ${id}, '${ACCOUNT}', 3, 75, 'cost:goodwill', 'client', 5, '', ${at});
        update ledger.account set balance_sun = 75, version = 3;
        insert into events.event (id, account_id, type, subject, created_at, trace, data)
          select ${id}, '${ACCOUNT}', 'balance.changed', m.id::text, ${at}, '', '{}' from ledger.movement m where m.version = 3`,
}
const needed: Record<string, string> = { M13: subscription, M14: subscription, M24: subscription }

let devnet: Devnet
beforeAll(async () => {
  devnet = await openDevnet()
})
afterAll(() => devnet.close())

describe('sound books', () => {
  let books: Books
  beforeAll(async () => {
    books = await openBooks(devnet)
    await books.sql(subscription)
  })
  afterAll(() => books.close())

  test('nothing is found, by whatever way it is looked for', async () => {
    const { audit, orders } = books.app.rooms
    expect(await audit.run()).toBeUndefined()
    expect(await audit.check()).toBeUndefined()
    await books.run()
    await books.pass()
    expect(await books.found()).toEqual([])
    expect(await orders.selling()).toMatchObject({ enabled: true })
  })

  test('several at once all find the same', async () => {
    const { audit } = books.app.rooms
    const all = [1, 2, 3, 4].map(() => audit.run())
    expect(await Promise.all(all)).toEqual(all.map(() => undefined))
    await Promise.all([1, 2, 3, 4].map(() => books.run()))
    expect(await books.found()).toEqual([])
  })

  test('there is a planted break for every invariant', () => {
    expect(Object.keys(sabotage)).toEqual(invariants.map(({ name }) => name))
  })
})

describe.each(Object.entries(sabotage))('%s', (name, sql) => {
  let books: Books
  beforeAll(async () => {
    books = await openBooks(devnet)
    await books.sql(needed[name] ?? 'select')
    await books.run()
    expect(await books.found()).toEqual([])
  })
  afterAll(() => books.close())

  test('in new rows: the next run finds it, keeps an example and stops selling', async () => {
    await books.sql(sql)
    await books.run()
    expect(await books.found()).toContain(name)
    const { orders, autoenergy } = books.app.rooms
    expect(await orders.selling()).toMatchObject({ enabled: false })
    expect(await autoenergy.enabled()).toMatchObject({ enabled: false })
    const ages = books.app.rooms.audit.proofs.ages()
    expect(ages.filter(({ failures }) => failures > 0)).toEqual([])
  })

  test('a check of all history names it first', async () => {
    const finding = await books.app.rooms.audit.run()
    expect(finding?.invariant).toBe(name)
    expect(finding?.rows.length).toBeGreaterThan(0)
  })
})

describe.each(Object.entries(sabotage))('%s', (name, sql) => {
  test('in rows proven before: the full pass finds it', async () => {
    const books = await openBooks(devnet)
    await books.sql(needed[name] ?? 'select')
    await books.run()
    books.elapse(3)
    await books.run()
    const [{ proven } = {}] = await books.sql(
      `select proven from audit.progress where name = 'chains'`,
    )
    const [newest] = await books.sql(`select id from ledger.movement order by id desc limit 1`)
    expect(proven).toBe(newest!.id)
    await books.sql(sql)
    await books.pass()
    expect(await books.found()).toContain(name)
    expect(await books.app.rooms.orders.selling()).toMatchObject({ enabled: false })
    await books.close()
  })
})
