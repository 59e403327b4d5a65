// Proves: sandbox-api, delivery, providers, autoenergy.
import type { Devnet } from '@ergon/devnet'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { TestAccount } from '../testing/app.ts'
import { type Coverage, openCoverage } from '../testing/autoenergy.ts'
import { brokenInvariants } from '../testing/invariants.ts'
import { openStandIn, type StandIn } from '../testing/standIn.ts'
import { until } from '../testing/until.ts'
import { openDevnet } from '../testing/world.ts'

// Work that is due before a clock change is done before it takes effect. No block comes by itself
// here, so nothing is delivered before the clock is moved.

const IMPATIENT_MS = 700

let devnet: Devnet
let catfee: StandIn
let market: Coverage
let client: TestAccount

beforeAll(async () => {
  devnet = await openDevnet()
  catfee = await openStandIn(devnet, 'catfee')
  market = await openCoverage({
    devnet,
    marketplaces: [catfee.adapterWith({ timeoutMs: IMPATIENT_MS })],
    standIns: new Map([['catfee', catfee.controlUrl]]),
  })
  client = await market.fundedAccount('10000')
})
afterAll(async () => {
  await market.close()
  await catfee.close()
  await devnet.close()
})
beforeEach(async () => {
  await behave('own_stake', { behaviour: 'ok', delay_ms: 0 })
  await behave('catfee', { behaviour: 'down', delay_ms: 0 })
})

async function behave(name: string, body: Record<string, unknown>) {
  const answer = await market.call('POST', `/sandbox/providers/${name}`, { body })
  expect([answer.status, answer.text]).toEqual([200, answer.text])
}

async function buy(): Promise<string> {
  const { status, body } = await market.buy(client)
  expect(status).toBe(200)
  return body.order_id
}
const read = async (id: string) => (await market.get(client, `/order/${id}`)).body
const final = (id: string) =>
  until(`order ${id} is final`, async () => {
    const now = await read(id)
    return ['COMPLETED', 'FAILED'].includes(now.status) && now
  })
/** Waits until only orders held by a script are left; a clock change does not wait for those. */
const onlyHeld = () =>
  until('nothing goes on by itself', async () => {
    await market.mineWhenRead()
    const { count } = await market.rooms.orders.pending()
    return count === 0n && !(await market.rooms.delivery.isUnderWay())
  })

test.each([120, 3_600, 86_400])(
  'bought and at once %i seconds later: COMPLETED',
  async (seconds) => {
    const id = await buy()
    await market.advance(seconds)
    expect(await read(id)).toMatchObject({ status: 'COMPLETED' })
    expect(await brokenInvariants(market.database)).toEqual([])
  },
)

test('what a marketplace sells is delivered before time moves, too', async () => {
  await behave('own_stake', { behaviour: 'down' })
  await behave('catfee', { behaviour: 'ok' })
  const id = await buy()
  await market.advance(86_400)
  expect(await read(id)).toMatchObject({ status: 'COMPLETED' })
  expect(await brokenInvariants(market.database)).toEqual([])
})

test('partial: the missing half is bought elsewhere before time moves', async () => {
  await behave('own_stake', { behaviour: 'partial' })
  await behave('catfee', { behaviour: 'ok' })
  // Half of it is above the marketplace's minimum.
  const { body } = await market.buy(client, { body: { resource_amount: 200_000 } })
  await market.advance(3_600)
  expect(await read(body.order_id)).toMatchObject({ status: 'COMPLETED' })
  const delegators = await market.database.sql(
    `select d.provider from delivery.delegation d join delivery.attempt a on a.id = d.attempt_id
       join delivery.part p on p.id = a.part_id where p.request_id = $1 order by d.provider`,
    [body.order_id],
  )
  expect(delegators).toEqual([{ provider: 'catfee' }, { provider: 'own_stake' }])
})

test.each([
  { behaviour: 'timeout_before_accept' },
  { behaviour: 'lost_delegation' },
  { behaviour: 'late' },
  { behaviour: 'ok', delay_ms: 60_000 },
])('own stake, %o: nobody waits for it, and it fails at its deadline', async (script) => {
  const before = await market.balanceSun(client)
  await behave('own_stake', script)
  const id = await buy()
  // The script at the time of the order applies, not the current one.
  await onlyHeld()
  await behave('own_stake', { behaviour: 'ok', delay_ms: 0 })
  expect(await market.rooms.delivery.isUnderWay()).toBe(false)
  expect(await read(id)).toMatchObject({ status: 'PROCESSING' })
  await market.advance(120)
  expect(await final(id)).toMatchObject({ status: 'FAILED' })
  expect(await market.balanceSun(client)).toBe(before)
})

test.each([
  { behaviour: 'timeout_before_accept' },
  { behaviour: 'lost_delegation' },
  { behaviour: 'late' },
  { behaviour: 'ok', delay_ms: 60_000 },
])('a marketplace, %o: nobody waits for it, and it fails at its deadline', async (script) => {
  await behave('own_stake', { behaviour: 'down' })
  await behave('catfee', script)
  const id = await buy()
  await onlyHeld()
  expect(await read(id)).toMatchObject({ status: 'PROCESSING' })
  await market.advance(120)
  expect(await final(id)).toMatchObject({ status: 'FAILED' })
})

test('an order that is not held is delivered beside one that is', async () => {
  await behave('own_stake', { behaviour: 'lost_delegation' })
  const lost = await buy()
  await onlyHeld()
  await behave('own_stake', { behaviour: 'ok' })
  const fine = await buy()
  await market.advance(120)
  expect(await read(fine)).toMatchObject({ status: 'COMPLETED' })
  expect(await final(lost)).toMatchObject({ status: 'FAILED' })
})

test('subscribed and at once an hour later: AutoEnergy is active', async () => {
  const wallet = market.wallet()
  expect((await market.subscribe(client, wallet)).status).toBe(201)
  await market.advance(3_600)
  const now = await market.read(client, wallet)
  expect(now).toMatchObject({ status: 'active', close_reason: null })
})

test('AutoEnergy whose Energy a script loses: nobody waits for it, and the activation fails', async () => {
  // Not the one for which the tests above have bought: it may still have most of the Energy that it needs.
  const [, wallet] = [market.wallet(), market.wallet()] as const
  await behave('own_stake', { behaviour: 'lost_delegation' })
  expect((await market.subscribe(client, wallet)).status).toBe(201)
  await onlyHeld()
  await market.advance(130)
  // It may be sent once more just before the activation's time is over, and that has to expire too.
  const closed = await until('it is closed', async () => {
    const now = await market.read(client, wallet)
    if (now.status === 'closed') return now
    await market.mineWhenRead()
    await market.advance(30)
    return false
  })
  expect(closed).toMatchObject({ close_reason: 'activation_failed' })
})

test('a deposit that waits for a block is credited before time moves', async () => {
  const account = await market.newAccount({ deposit_trx: '5' })
  await market.advance(3_600)
  const [deposit] = (await market.get(account, '/deposits')).body.deposits
  expect(deposit).toMatchObject({ amount_trx: '5' })
  const { now } = (await market.call('GET', '/sandbox/clock')).body
  expect(Date.parse(now) - Date.parse(deposit.created_at)).toBeGreaterThan(3_000_000)
})
