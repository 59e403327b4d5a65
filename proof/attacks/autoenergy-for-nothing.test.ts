import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Coverage, openCoverage, type Wallet } from '../testing/autoenergy.ts'
import type { TestAccount } from '../testing/house.ts'
import { type Contract, openStrangers, type Strangers } from '../testing/strangers.ts'
import { until } from '../testing/until.ts'

// A covered address has deployed a contract whose Energy it pays for, and strangers call it. What they
// take is not billed. It must end after two levels at most for each activation fee.

const LEVEL = 131_000n
const PATH = '/v1/autoenergy/subscriptions'
const ROUNDS = 3
/** Blocks of a thief's round; the seconds of these do not pass by themselves. */
const BLOCKS = 12

let house: Coverage
let strangers: Strangers
beforeAll(async () => {
  house = await openCoverage()
  strangers = openStrangers(house)
})
afterAll(async () => {
  strangers.leave()
  await house.close()
})

/** Two calls of strangers in each block, behind any delegation that is on its way. */
async function takeWhatComes(wallet: Wallet, contract: Contract, blocks = BLOCKS): Promise<void> {
  for (let block = 0; block < blocks; block++) {
    await lookedAt(wallet)
    await contract.call()
    await contract.call()
    house.mine()
  }
}

/** The address has been looked at by its newest block, and a move that was asked for is in the pool. */
async function lookedAt({ address }: Wallet): Promise<void> {
  await house.scanned()
  await house.database.sql(
    `update delivery.standing set look = true, looked_at = null where address = $1`,
    [address],
  )
  await house.rooms.delivery.standing.loop.runOnce()
  const moves = await house.database.sql<{ txid: string }>(
    `select txid from delivery.standing_move where address = $1 and state = 'sent'`,
    [address],
  )
  const { pool } = house.devnet.chain
  await until('the move is in the pool', () => moves.every(({ txid }) => pool.has(txid)))
}

const remove = (client: TestAccount, { address }: Wallet) =>
  house.call('DELETE', `${PATH}/${address}`, { key: client.api_key })

const paid = async (client: TestAccount) =>
  (await house.entries(client)).reduce((sum, { amount }) => sum - amount, 0)

test('use by others while the activation is pending: round after round, for 0 SUN', async () => {
  const client = await house.fundedAccount('200')
  const wallet = house.wallet()
  const contract = strangers.deploy(wallet)
  for (let round = 0; round < ROUNDS; round++) {
    const made = await house.subscribe(client, wallet)
    if (made.status !== 201) break
    await takeWhatComes(wallet, contract)
    await house.advance(130)
    await house.become(client, wallet, { status: 'closed' })
    await house.reclaimed(wallet)
    await remove(client, wallet)
  }
  expect(contract.taken()).toBeLessThanOrEqual(2n * LEVEL)
  expect(await paid(client)).toBe(10_000_000)
})

test('top-ups while use is suspected: many levels for one fee', async () => {
  const client = await house.fundedAccount('200')
  const wallet = house.wallet()
  const contract = strangers.deploy(wallet)
  await house.cover(client, wallet)
  await takeWhatComes(wallet, contract)
  // Half a minute of blocks has not explained it.
  await house.advance(60)
  await takeWhatComes(wallet, contract)
  expect(contract.taken()).toBeLessThanOrEqual(2n * LEVEL)
  const closed = await house.become(client, wallet, { status: 'closed' })
  expect(closed.close_reason).toBe('energy_used_by_others')
  expect(contract.taken()).toBeLessThanOrEqual(2n * LEVEL)
  expect(await paid(client)).toBe(10_000_000)
})
