// Proves: autoenergy, delivery.
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestAccount } from '../testing/app.ts'
import { type Coverage, openCoverage, type Wallet } from '../testing/autoenergy.ts'
import { openStrangers, type Strangers } from '../testing/strangers.ts'
import { until } from '../testing/until.ts'

// A covered address has deployed a contract whose Energy it pays for, and strangers call it. Their
// use is not billed, so it must end after at most two levels per activation fee.

const LEVEL = 131_000n
const PATH = '/v1/autoenergy/subscriptions'
const ROUNDS = 3
const UNIT_65K = 2_200_000
/** Blocks of one round; on this chain no time passes between them by itself. */
const BLOCKS = 6

let app: Coverage
let strangers: Strangers
beforeAll(async () => {
  app = await openCoverage()
  strangers = openStrangers(app)
})
afterAll(async () => {
  await app.close()
})

const remove = (client: TestAccount, { address }: Wallet) =>
  app.call('DELETE', `${PATH}/${address}`, { key: client.api_key })
const paid = async (client: TestAccount) =>
  (await app.entries(client)).reduce((sum, { amount }) => sum - amount, 0)
const minePool = () => {
  if (app.devnet.chain.pool.size > 0) app.mine()
}
const givenForNothing = async () => {
  const sql = `select autoenergy.given_for_nothing()::text as energy`
  return (await app.database.sql<{ energy: string }>(sql))[0]!.energy
}
const refusalOf = ({ status, body }: { status: number; body: { error?: string } }) => [
  status,
  body.error,
]

test('use by others while the activation is pending: round after round, for 0 SUN', async () => {
  const { client, wallet, contract } = await strangers.thief()
  for (let round = 0; round < ROUNDS; round++) {
    const made = await app.subscribe(client, wallet)
    if (made.status !== 201) break
    await strangers.takeWhatComes(wallet, contract, BLOCKS)
    await app.advance(130)
    const closed = await app.become(client, wallet, { status: 'closed' })
    expect(closed.close_reason).toBe('energy_used_by_others')
    await app.reclaimed(wallet)
    await remove(client, wallet)
  }
  expect(contract.taken()).toBeLessThanOrEqual(2n * LEVEL)
  expect(await paid(client)).toBe(10_000_000)
})

test('a call of its own on Energy that is about to go back, because the activation took too long', async () => {
  const { loop } = app.rooms.delivery.standing
  const client = await app.fundedAccount('200')
  const wallet = app.wallet()
  const standing = async () =>
    (
      await app.database.sql<{ wanted: string }>(
        'select wanted::text from delivery.standing where address = $1',
        [wallet.address],
      )
    )[0]!.wanted
  await app.subscribe(client, wallet)
  await strangers.lookedAt(wallet)
  // Stop measuring, so that the service does not see that the Energy is whole.
  await loop.stop()
  await until('the Energy is there', async () => {
    minePool()
    return (await app.energy(wallet)).limit > 0n
  })
  await app.scanned()
  await app.advance(130)
  await until('it is given up', async () => (await standing()) === '0')
  await wallet.sendUsdt(app.receivers[0]!)
  app.mine()
  await app.scanned()
  loop.start()
  await until('it is active', async () => {
    minePool()
    return (await app.read(client, wallet)).status === 'active'
  })
  await app.whole(wallet)
  expect(await paid(client)).toBe(10_000_000 + UNIT_65K)
})

test('top-ups while use is suspected: many levels for one fee', async () => {
  const { client, wallet, contract } = await strangers.thief()
  await app.cover(client, wallet)
  await strangers.takeWhatComes(wallet, contract, BLOCKS)
  // The use is still unexplained after half a minute of blocks.
  await app.advance(60)
  await strangers.takeWhatComes(wallet, contract, 2)
  expect(contract.taken()).toBeLessThanOrEqual(2n * LEVEL)
  const closed = await app.become(client, wallet, { status: 'closed' })
  expect(closed.close_reason).toBe('energy_used_by_others')
  expect(await paid(client)).toBe(10_000_000)
})

test('use between the close and the reclaim, and a free reactivation after it, again and again', async () => {
  const { client, wallet, contract } = await strangers.thief()
  await app.cover(client, wallet)
  for (let round = 0; round < ROUNDS; round++) {
    await app.act(client, wallet, 'close')
    await strangers.lookedAt(wallet)
    // The reclaim is in the pool; a call now is in the same block or an earlier one.
    await contract.call()
    await contract.call()
    app.mine()
    await app.reclaimed(wallet)
    const again = await app.act(client, wallet, 'reactivate')
    if (again.status !== 200) break
    await app.become(client, wallet, { status: 'active' })
  }
  expect(contract.taken()).toBeLessThanOrEqual(2n * LEVEL)
  expect(refusalOf(await app.act(client, wallet, 'reactivate'))).toEqual([409, 'not_reactivatable'])
})

test('a close by hand, a delete and a new subscription forget nothing', async () => {
  const { client, wallet, contract } = await strangers.caught()
  await remove(client, wallet)
  const again = await app.subscribe(client, wallet)
  expect(refusalOf(again)).toEqual([422, 'invalid_address'])
  expect(again.body.message).toContain('You can cover it again after')
  const [kept] = await app.database.sql<{ account_id: string; energy: number }>(
    `select account_id, energy::int as energy from autoenergy.stray where address = $1`,
    [wallet.address],
  )
  expect(kept).toMatchObject({ account_id: client.account_id })
  // Energy that the network recovered in the seconds between is not counted.
  expect(Number(contract.taken()) - kept!.energy).toBeLessThan(500)
  // A month later a fee buys two levels again, and only for the whole fee.
  await app.advance(31 * 86_400)
  await app.cover(client, wallet)
  expect(await paid(client)).toBe(20_000_000)
})

test('a reactivation after the bar costs the activation fee, not the day', async () => {
  const { client, wallet } = await strangers.caught()
  await app.advance(31 * 86_400)
  expect((await app.act(client, wallet, 'reactivate')).status).toBe(200)
  expect(await paid(client)).toBe(20_000_000)
})

test('after all of it nothing was given beyond two levels for each fee', async () => {
  expect(await givenForNothing()).toBe('0')
})
