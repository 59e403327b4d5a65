// Proves: webhooks, events.
import { expect, test } from 'vitest'
import { request } from '../testing/app.ts'
import { createTestDatabase } from '../testing/database.ts'
import { openReceiver, type Receiver } from '../testing/receiver.ts'
import { until } from '../testing/until.ts'
import { openDevnet } from '../testing/world.ts'
import { happen, startWorker } from './killableWorker.ts'

// kill -9 during 10,000 deliveries: each event arrives at least once, and a delivery acknowledged
// more than 10 s before the kill is not repeated.

const WEBHOOKS = 10
const EVENTS = 1_000
const ALL = WEBHOOKS * EVENTS

/** An account with ten webhooks, each at its own path. */
async function subscribe(app: string, receiver: Receiver, mine: () => void): Promise<string> {
  const { body: account } = await request(app, 'POST', '/sandbox/accounts', {
    body: { deposit_trx: '5' },
  })
  mine()
  const key = account.api_key
  await until('the credit', async () => {
    const { body } = await request(app, 'GET', '/v1/account', { key })
    return body.balance_trx === '5'
  })
  for (let place = 0; place < WEBHOOKS; place++) {
    const body = { name: `w${place}`, url: receiver.url(`/${place}`) }
    const made = await request(app, 'POST', '/v1/webhooks', { key, body })
    expect(made.status).toBe(201)
  }
  return account.account_id
}

test('kill -9 of the worker among 10,000 deliveries, twice', async () => {
  const database = await createTestDatabase()
  const devnet = await openDevnet()
  const receiver = await openReceiver()
  const paths = Array.from({ length: WEBHOOKS }, (_, place) => `/${place}`)
  const arrived = () => paths.reduce((sum, path) => sum + receiver.at(path).length, 0)
  let worker = await startWorker(database, devnet)
  const kills: number[] = []
  try {
    const account = await subscribe(worker.url, receiver, () => devnet.chain.mine())
    await happen(database, account, EVENTS)
    for (const share of [0.2, 0.6]) {
      await until(`${share} of them`, () => arrived() > ALL * share, 40_000)
      kills.push(await worker.kill())
      worker = await startWorker(database, devnet)
    }
    const pending = async () => {
      const [row] = await database.sql<{ count: number }>(
        `select count(*)::int as count from webhooks.delivery where state <> 'delivered'`,
      )
      return row!.count
    }
    await until('all are settled', async () => arrived() >= ALL && (await pending()) === 0, 40_000)
  } finally {
    await worker.kill()
    await devnet.close()
  }
  let repeated = 0
  for (const path of paths) {
    const byEvent = Map.groupBy(receiver.at(path), ({ body }) => JSON.parse(body).id as string)
    expect(byEvent.size).toBe(EVENTS)
    for (const [first, ...again] of byEvent.values()) {
      repeated += again.length
      for (const { atMs, headers } of again) {
        expect(headers['x-service-delivery']).toBe(first!.headers['x-service-delivery'])
        const kill = kills.findLast((at) => at < atMs)
        expect(kill! - first!.atMs).toBeLessThan(10_000)
      }
    }
  }
  // Only deliveries in flight or not recorded yet: four per webhook and kill, and a batch or two.
  expect(repeated).toBeLessThan(kills.length * 400)
  await receiver.close()
  await database.drop()
})
