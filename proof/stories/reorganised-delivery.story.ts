// Proves: delivery, chain.
import { toBase58 } from '@ergon/tron'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestApp, type TestAccount, type TestApp } from '../testing/app.ts'
import { brokenInvariants } from '../testing/invariants.ts'
import { until } from '../testing/until.ts'

// A delegation whose block is orphaned after the order was complete: the client keeps the Energy.

let app: TestApp
let client: TestAccount
let receiver: string

beforeAll(async () => {
  app = await openTestApp({ signer: true })
  client = await app.newAccount({ deposit_trx: '100' })
  receiver = toBase58(app.devnet.chain.network.funded[2]!.address)
  app.devnet.chain.mine()
  await until('a purchase can be made', async () => {
    const { body } = await app.call('GET', '/v1/account', { key: client.api_key })
    const quote = await app.call('GET', '/v1/estimate?resource_amount=65000', {
      key: client.api_key,
    })
    return body.balance_trx === '100' && quote.status === 200
  })
})
afterAll(() => app.close())

async function completedOrder() {
  const body = { receiver_address: receiver, resource_amount: 65_000 }
  const { body: bought } = await app.call('POST', '/v1/buy', { key: client.api_key, body })
  await until('the delegation is in the pool', () => app.devnet.chain.pool.size > 0)
  app.devnet.chain.mine()
  return until('COMPLETED', async () => {
    const { body: order } = await app.call('GET', `/v1/order/${bought.order_id}`, {
      key: client.api_key,
    })
    return order.status === 'COMPLETED' && (order as { id: string; delegation_txids: string[] })
  })
}

const energy = async () =>
  (await app.rooms.chain.node.getAccountResource(`41${hex()}`))!.energyLimit
const hex = () => app.devnet.chain.network.funded[2]!.address.slice(2)

test('back in the new branch by itself: nothing is delegated twice', async () => {
  await completedOrder()
  app.devnet.chain.reorg(1, new Set())
  await app.scanned()
  expect(await energy()).toBe(65_065n)
  expect(await brokenInvariants(app.database)).toEqual([])
})

test('dropped for good: delegated again at our cost, the order stays COMPLETED', async () => {
  const order = await completedOrder()
  expect(await energy()).toBe(130_130n)
  app.devnet.chain.reorg(1, new Set(order.delegation_txids))
  await until('orphaned', async () => {
    const rows = await app.database.sql(
      `select from delivery.delegation where txid = $1 and block_number is null`,
      [order.delegation_txids[0]],
    )
    return rows.length === 1
  })
  // Keep the bytes from the node until they have expired: our worker would send them again at once,
  // and the next block would contain them.
  await app.database.sql(
    `update chain.broadcast set last_sent_at = 'infinity' where state = 'pending'`,
  )
  await app.call('POST', '/sandbox/clock', { body: { advance_seconds: 90 } })
  await until('the Energy is back', async () => {
    await app.mineWhenRead()
    return (await energy()) === 130_130n
  })
  const { body } = await app.call('GET', `/v1/order/${order.id}`, { key: client.api_key })
  expect(body.status).toBe('COMPLETED')
  expect(await brokenInvariants(app.database)).toEqual([])
})
