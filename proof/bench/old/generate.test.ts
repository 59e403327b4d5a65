import { expect, test } from 'vitest'
import { openTestApp } from '../../testing/app.ts'
import { createTestDatabase } from '../../testing/database.ts'
import { apiKeyOf, generate } from './generate.ts'
import { sizesOf } from './sizes.ts'

const SIZES = sizesOf(0.0002)

test('a generated service has what a real one would have, and every invariant holds', async () => {
  const database = await createTestDatabase()
  const constraints = `
    select conrelid::regclass::text || ' ' || conname || ' ' || pg_get_constraintdef(oid) || ' ' || convalidated as one
      from pg_constraint where connamespace::regnamespace::text not in ('events', 'pg_catalog') order by 1`
  const indexes = `select indexdef as one from pg_indexes where schemaname not in ('events', 'pg_catalog') order by 1`
  const before = [await database.sql(constraints), await database.sql(indexes)]
  const { held } = await generate(database.url('ergon_admin'), SIZES, { now: new Date() })
  const app = await openTestApp({ role: 'api', database })
  try {
    expect(await app.rooms.audit.run()).toBeUndefined()
    expect(await app.rooms.audit.check()).toBeUndefined()
    expect([await database.sql(constraints), await database.sql(indexes)]).toEqual(before)

    const [counted] = await database.sql(`
      select (select count(*)::int from identity.account) as accounts, (select count(*)::int from orders.purchase_order) as orders,
             (select count(*)::int from ledger.movement) as movements, (select count(*)::int from events.event) as events,
             (select count(*)::int from deposits.holding where amount_sun > 0) as held,
             (select movements::int from ledger.sums) as summed`)
    expect(counted).toMatchObject({
      accounts: SIZES.accounts,
      orders: SIZES.rounds * 18,
      held: SIZES.held,
    })
    expect(counted!.movements).toBeGreaterThan(15_000_000 * 0.0002)
    expect(counted!.summed).toBe(counted!.movements)
    expect(counted!.events).toBeGreaterThan(5_000_000 * 0.0002 * 0.95)
    expect(held).toHaveLength(SIZES.held)

    const [sums] = await database.sql(`
      select (select sum(amount_sun)::text from deposits.holding) as holdings,
             (select sum(case when debit = 'asset:deposit_addresses' then amount_sun else -amount_sun end)::text
                from ledger.movement where 'asset:deposit_addresses' in (debit, credit)) as booked`)
    expect(sums!.holdings).toBe(sums!.booked)

    const list = await app.call('GET', '/v1/orders?page_size=5', { key: apiKeyOf(2) })
    expect(list).toMatchObject({ status: 200, body: { total: 18 } })
    const [{ receiver_address }] = list.body.orders
    const found = await app.call('GET', `/v1/orders?receiver_address=${receiver_address}`, {
      key: apiKeyOf(2),
    })
    expect(found.body.total).toBe(9)
  } finally {
    await app.close()
    await database.drop()
  }
})
