// Proves: providers, delivery.
import type { Devnet } from '@ergon/devnet'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { TestAccount } from '../testing/app.ts'
import { type FakeMarketplace, fakeMarketplace } from '../testing/fakeMarketplace.ts'
import { brokenInvariants } from '../testing/invariants.ts'
import { type Market, openMarket } from '../testing/market.ts'
import { until } from '../testing/until.ts'
import { openDevnet } from '../testing/world.ts'

// How often a marketplace is called, which of its offers count, and when it is skipped.

const NAME = 'bazaar'
let devnet: Devnet
let market: Market
let fake: FakeMarketplace
let client: TestAccount
/** Number of calls of any kind to the marketplace. */
let calls = 0

beforeAll(async () => {
  devnet = await openDevnet()
  fake = fakeMarketplace(devnet, { name: NAME, key: 9 })
  const { readOffer, place, lookUp } = fake
  const counted =
    <Args extends unknown[], T>(ask: (...args: Args) => T) =>
    (...args: Args) => {
      calls += 1
      return ask(...args)
    }
  fake.readOffer = counted(readOffer)
  fake.place = counted(place)
  fake.lookUp = counted(lookUp)
  market = await openMarket({ devnet, marketplaces: [fake] })
  client = await market.fundedAccount('1000')
})
afterAll(async () => {
  expect(await brokenInvariants(market.database)).toEqual([])
  await market.close()
  await devnet.close()
})
beforeEach(async () => {
  const usual = { behaviour: 'ok', unitPrice: 10n, minimum: 0n, callsPerSecond: 50 } as const
  Object.assign(fake, usual)
  // This also resets its recorded failures.
  await market.call('POST', `/sandbox/providers/${NAME}`, { body: { behaviour: 'ok' } })
  await market.provider({ behaviour: 'ok', price_sun: 15 })
})

const providers = () => market.rooms.providers
const offerOf = () =>
  providers()
    .offers()
    .find(({ provider }) => provider === NAME)
const change = (set: string) =>
  market.database.sql(`update providers.provider set ${set} where name = $1`, [NAME])
const fail = async (times: number) => {
  for (let time = 0; time < times; time++) await providers().noteOutcome(NAME, false)
  await providers().readLoop.runOnce()
}

async function buy(): Promise<string> {
  const { status, body } = await market.buy(client)
  expect(status).toBe(200)
  return body.order_id
}

async function completed(id: string) {
  await until(`order ${id} is complete`, async () => {
    await market.mineWhenRead()
    return (await market.get(client, `/order/${id}`)).body.status === 'COMPLETED'
  })
  return market.database.sql<{ provider: string }>(
    `select a.provider from delivery.attempt a join delivery.part p on p.id = a.part_id
      where p.request_id = $1`,
    [id],
  )
}

test('orders, questions and offers together stay within the calls a second', async () => {
  fake.callsPerSecond = 4
  const [before, startedMs] = [calls, performance.now()]
  const ids = await Promise.all(Array.from({ length: 8 }, buy))
  for (const id of ids) await completed(id)
  const seconds = (performance.now() - startedMs) / 1_000
  // The calls of one second may be made at once, plus one.
  expect(calls - before).toBeLessThanOrEqual(4 * (seconds + 1) + 2)
})

test('while orders use up the limit, the offer is read all the same', async () => {
  await change(`next_call_at = clock_timestamp() + interval '1 hour'`)
  fake.unitPrice = 12n
  await providers().refresh()
  expect(offerOf()?.unitPrice).toBe(12n)
})

test('a question that the limit puts off is still due, and does not count as asked', async () => {
  const resolve = market.rooms.delivery.loops.find(
    ({ name }) => name === `delivery.resolve.${NAME}`,
  )!
  fake.behaviour = 'late'
  const id = await buy()
  const ofOrder = `from delivery.part p where p.id = a.part_id and p.request_id = $1`
  const look = () =>
    market.database.sql<{ looks: string }>(
      `update delivery.attempt a set look_at = clock_timestamp() ${ofOrder} and a.state = 'sent' returning a.looks`,
      [id],
    )
  await until('it is placed', async () => (await look()).length > 0)
  await change(`next_call_at = clock_timestamp() + interval '1 hour'`)
  // A round that started before may still be running, once.
  await until('a round asks nothing', async () => {
    const [before] = await look()
    await resolve.runOnce()
    const [after] = await look()
    return before!.looks === after!.looks
  })
  await change('next_call_at = null')
  fake.deliverLate()
  await completed(id)
})

test('an offer that could not be read again for fifteen seconds is not sold from', async () => {
  expect(offerOf()).toBeDefined()
  fake.behaviour = 'down'
  const age = `update providers.offer set seen_at = seen_at - interval '$ seconds' where provider = $1`
  await market.database.sql(age.replace('$ ', '8 '), [NAME])
  await providers().readLoop.runOnce()
  expect(offerOf()).toBeDefined()
  await market.database.sql(age.replace('$ ', '8 '), [NAME])
  await providers().readLoop.runOnce()
  expect(offerOf()).toBeUndefined()
  expect(providers().absent()).toContainEqual({ provider: NAME, why: 'its offer is stale' })
  const attempts = await completed(await buy())
  expect(attempts.map(({ provider }) => provider)).toEqual(['own_stake'])
})

test('five failures in a row shut it out; then one order alone tries it again', async () => {
  await fail(4)
  expect(offerOf()).toBeDefined()
  expect(await providers().mayOrder(NAME)).toBe(true)
  await fail(1)
  expect(offerOf()).toBeUndefined()
  expect(providers().absent()).toContainEqual({ provider: NAME, why: 'failed too often lately' })
  expect(await providers().mayOrder(NAME)).toBe(false)
  await change(`shut_until = clock_timestamp()`)
  const turns = await Promise.all([1, 2, 3].map(() => providers().mayOrder(NAME)))
  expect(turns.filter(Boolean)).toHaveLength(1)
  await providers().noteOutcome(NAME, true)
  expect(await providers().mayOrder(NAME)).toBe(true)
  expect(await providers().mayOrder(NAME)).toBe(true)
})

test('who fails some orders is asked less than who is dearer by less; the choice says so', async () => {
  fake.unitPrice = 14n
  await providers().refresh()
  await fail(2)
  const id = await buy()
  const attempts = await completed(id)
  expect(attempts.map(({ provider }) => provider)).toEqual(['own_stake'])
  const [row] = await market.database.sql<{ choice: { considered: object[] }[] }>(
    'select choice from delivery.request where id = $1',
    [id],
  )
  expect(row!.choice[0]!.considered).toMatchObject([
    { provider: NAME, unit_price_sun: '14', fill_bps: '9025', taken: '0', why: 'dearer' },
    { provider: 'own_stake', unit_price_sun: '15', taken: '65000', why: 'cheapest' },
  ])
})

test('switched off after the plan was made: it is not called, and somebody else delivers', async () => {
  await change(`next_call_at = clock_timestamp() + interval '1 hour'`)
  const placed = fake.placed.length
  const id = await buy()
  const parts = () =>
    market.database.sql<{ provider: string; state: string }>(
      'select provider, state from delivery.part where request_id = $1 order by id',
      [id],
    )
  await until('it is planned there', async () => (await parts())[0]?.provider === NAME)
  expect(await providers().setEnabled(NAME, false)).toBe(true)
  await change('next_call_at = null')
  expect((await completed(id)).map(({ provider }) => provider)).toEqual(['own_stake'])
  expect(await parts()).toEqual([
    { provider: NAME, state: 'failed' },
    { provider: 'own_stake', state: 'delivered' },
  ])
  expect(fake.placed.length).toBe(placed)
  await providers().setEnabled(NAME, true)
})
