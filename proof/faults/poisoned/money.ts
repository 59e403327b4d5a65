import { randomUUID } from 'node:crypto'
import { SOLID_LAG } from '../../testing/solidLag.ts'
import { until } from '../../testing/until.ts'
import {
  type Case,
  OWNER,
  PAST,
  plantAccounts,
  plantOrders,
  RECEIVER,
  txidOf,
  uuids,
} from './plant.ts'

export const money: Case[] = [
  {
    loop: 'deposits.finish',
    kind: 'deposit',
    async plant({ account, many, plant }) {
      const keys = uuids(many)
      const state = { status: 'confirmed', posted: 'true', credited_at: PAST, block_number: '1' }
      const of = { account_id: account, address: RECEIVER, expires_at: PAST }
      await plant(
        'deposits.deposit',
        keys.map((id) => ({ ...state, ...of, id, txid: txidOf(id) })),
      )
      return { keys }
    },
    poison: { when: 'update', table: 'deposits.deposit', column: 'id' },
    left: 'select id from deposits.deposit where verified_at is null',
    clean: 'deposits.deposit, deposits.holding',
  },
  {
    loop: 'deposits.sweep',
    kind: 'address',
    async plant({ app, few, plant }) {
      const accounts = []
      for (let n = 0; n < few; n += 1) {
        accounts.push(await app.newAccount({ deposit_trx: '200' }))
      }
      for (let n = 0; n <= SOLID_LAG; n += 1) app.devnet.chain.mine()
      await app.scanned()
      const finish = app.rooms.deposits.loops.find(({ name }) => name === 'deposits.finish')!
      await until('the deposits are final', async () => {
        await finish.runOnce()
        const open = 'select from deposits.deposit where verified_at is null'
        return (await app.database.sql(open)).length === 0
      })
      await plant('signing.address', [{ address: OWNER, purpose: 'hot', position: '0' }])
      return { keys: accounts.map((account) => account.deposit_address) }
    },
    poison: { when: 'insert', table: 'deposits.sweep', column: 'address' },
    left: `select address as id from deposits.holding h
            where not exists (select from deposits.sweep s where s.address = h.address)`,
    clean: 'deposits.sweep, signing.request',
  },
  {
    loop: 'account.dailySummary',
    kind: 'account',
    async plant(world) {
      const keys = await plantAccounts(world, world.many)
      const types = '{account.daily_summary}'
      await world.plant(
        'events.interest',
        keys.map((account) => ({ account_id: account, reader: 'webhooks', types })),
      )
      await world.plant(
        'account.summary',
        keys.map((account) => ({ account_id: account, last_day: '2026-01-01' })),
      )
      return { keys }
    },
    poison: { when: 'update', table: 'account.summary', column: 'account_id' },
    left: `select account_id as id from account.summary where last_day = '2026-01-01'`,
    clean: 'account.summary, events.interest, events.pending',
  },
]

export const orders: Case[] = [
  {
    loop: 'orders.start',
    kind: 'order',
    plant: async (world) => ({
      keys: await plantOrders(world, { status: 'PENDING', source: 'api' }),
    }),
    poison: { when: 'update', table: 'orders.purchase_order', column: 'id' },
    left: `select id from orders.purchase_order where status = 'PENDING'`,
    clean: 'orders.purchase_order, delivery.request',
  },
  {
    loop: 'orders.expireCheckouts',
    kind: 'order',
    async plant(world) {
      const order = { status: 'AWAITING_PAYMENT', source: 'checkout' }
      const keys = await plantOrders(world, order)
      const of = { account_id: world.account, expires_at: PAST }
      await world.plant(
        'orders.checkout',
        keys.map((id, n) => ({ ...of, order_id: id, amount_sun: `${n + 1}` })),
      )
      return { keys }
    },
    poison: { when: 'update', table: 'orders.purchase_order', column: 'id' },
    left: `select id from orders.purchase_order where status <> 'FAILED'`,
    clean: 'orders.purchase_order',
  },
  {
    loop: 'orders.payCommissions',
    kind: 'commission',
    async plant(world) {
      const keys = uuids(world.many)
      await world.plant(
        'orders.commission',
        keys.map((order_id) => ({ order_id, account_id: world.account, amount_sun: '1' })),
      )
      return { keys }
    },
    poison: { when: 'update', table: 'orders.commission', column: 'order_id' },
    left: 'select order_id as id from orders.commission where paid_at is null',
    clean: 'orders.commission',
  },
  {
    loop: 'orders.fold',
    kind: 'account',
    async plant(world) {
      const keys = await plantAccounts(world, world.few)
      const order = { status: 'PROCESSING', source: 'api', number: '1', receiver_address: RECEIVER }
      await world.plant(
        'orders.purchase_order',
        keys.map((account) => ({ ...order, id: randomUUID(), account_id: account })),
      )
      return { keys }
    },
    poison: { when: 'insert', table: 'orders.pair', column: 'account_id' },
    left: `select account_id as id from orders.purchase_order o
            where not exists (select from orders.pair p where p.account_id = o.account_id)`,
    clean: 'orders.purchase_order, orders.pair, orders.folded, orders.filed_order',
  },
]
