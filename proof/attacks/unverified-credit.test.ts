// Proves: deposits, orders.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { openTestApp, type TestAccount } from '../testing/app.ts'
import { brokenInvariants } from '../testing/invariants.ts'
import { flatSchedule, type Market, openMarket } from '../testing/market.ts'
import { SOLID_LAG } from '../testing/solidLag.ts'
import { until } from '../testing/until.ts'

// A deposit can be spent before its block is final. An attacker who can undo a block takes the TRX
// back and keeps the Energy, so the service lends at most 100,000 TRX this way, over all accounts.

const TRX = 1_000_000
/** The first 200 TRX of an account do not count towards the service's limit. */
const FREE = 200 * TRX
const SERVICE = 100_000 * TRX
const ACCOUNT = 10_000 * TRX

let market: Market
beforeAll(async () => {
  market = await openMarket()
})
/** Makes all credit final, so that each test starts with the whole limit. */
afterEach(async () => {
  await until('all deposits final', async () => {
    mine()
    const left = await market.database.sql(
      `select from deposits.deposit where verified_at is null and status <> 'reverted'`,
    )
    return left.length === 0
  })
})
afterAll(async () => {
  expect(await brokenInvariants(market.database)).toEqual([])
  await market.close()
})

const mine = (blocks = 1) => {
  for (let block = 0; block < blocks; block++) market.devnet.chain.mine()
}
const newAccounts = (count: number) =>
  Promise.all(Array.from({ length: count }, () => market.newAccount()))
const deposits = async (who: TestAccount) => (await market.get(who, '/deposits')).body.deposits

/** Sends without mining. Every account has its own payer: funded keys have a million TRX each. */
async function send(to: TestAccount, amountSun: number, payer = 0): Promise<string> {
  const from = market.receivers[payer % market.receivers.length]
  const body = { from, to: to.deposit_address, amount_sun: amountSun }
  return (await market.call('POST', '/sandbox/chain/transfer', { body })).body.txid
}

/** One deposit of this amount for each account, in one block. */
async function depositInOneBlock(accounts: TestAccount[], amountSun: number) {
  for (const [place, account] of accounts.entries()) await send(account, amountSun, place)
  mine()
  await seen(accounts)
}

const seen = (accounts: TestAccount[]) =>
  until('the deposits are seen', async () => {
    const lists = await Promise.all(accounts.map(deposits))
    return lists.every((list) => list.length > 0)
  })

/** What the accounts can spend together, in SUN. */
async function spendable(accounts: TestAccount[]): Promise<number> {
  const { ledger } = market.rooms
  const balances = await Promise.all(accounts.map((a) => ledger.balanceOf(a.account_id)))
  return balances.reduce((sum, balance) => sum + Number(balance.spendable), 0)
}

/** Buys the largest order, for 10,000 TRX; returns the charge. */
async function spendAll(account: TestAccount): Promise<number> {
  const { status, body } = await market.buy(account, { body: { resource_amount: 5_000_000 } })
  return status === 200 ? body.total_price_sun : 0
}

test('many accounts together spend no more unverified credit than the service lends', async () => {
  await market.settings({ schedule: flatSchedule(2_000) })
  const thieves = await newAccounts(14)
  await depositInOneBlock(thieves, ACCOUNT)
  const spent = await Promise.all(thieves.map(spendAll))
  const total = spent.reduce((sum, charged) => sum + charged, 0)
  expect(total).toBeGreaterThan(0.9 * SERVICE)
  expect(total).toBeLessThanOrEqual(SERVICE + thieves.length * FREE)
})

test('the first in the chain are credited first, the others wait for their block to be final', async () => {
  const accounts = await newAccounts(12)
  await depositInOneBlock(accounts, ACCOUNT)
  const lists = await Promise.all(accounts.map(deposits))
  const states = lists.map(([deposit]) => deposit.status)
  // Each counts with 9,800 TRX: ten fit into 100,000.
  expect(states).toEqual([...Array(10).fill('confirmed'), 'pending', 'pending'])
  expect(await spendable(accounts)).toBe(10 * ACCOUNT)
  mine(SOLID_LAG + 1)
  await until('all credited', async () => (await spendable(accounts)) === 12 * ACCOUNT)
})

test('what became final, or is gone for good, makes room for others', async () => {
  const [one, other] = [await newAccounts(10), await newAccounts(3)]
  await depositInOneBlock(one, ACCOUNT)
  mine(SOLID_LAG + 1)
  await until('final', async () => (await deposits(one[9]!))[0].verified_at !== null)
  const txids = await Promise.all(other.map((account, place) => send(account, ACCOUNT, place)))
  mine()
  await seen(other)
  expect(await spendable(other)).toBe(3 * ACCOUNT)

  const more = await newAccounts(7)
  await depositInOneBlock(more, ACCOUNT)
  expect(await spendable(more)).toBe(7 * ACCOUNT)
  market.devnet.chain.reorg(2, new Set(txids))
  // Transactions that are off the chain expire after a minute; until then they may return.
  await market.advance(120)
  await until('reverted', async () => (await deposits(other[0]!))[0].status === 'reverted')
  const last = await newAccounts(10)
  await depositInOneBlock(last, ACCOUNT)
  expect(await spendable(last)).toBe(10 * ACCOUNT)
})

test('orphaned credit keeps its room while it may return: a fork does not double what is lent', async () => {
  const [first, second] = [await newAccounts(10), await newAccounts(10)]
  await depositInOneBlock(first, ACCOUNT)
  expect(await spendable(first)).toBe(10 * ACCOUNT)
  // The new branch does not contain them yet, and contains as many deposits of others.
  const txids = (await Promise.all(first.map(deposits))).map(([deposit]) => deposit.tx_hash)
  for (const [place, account] of second.entries()) await send(account, ACCOUNT, place)
  market.devnet.chain.reorg(1, new Set(txids))
  await seen(second)
  await until('withheld', async () => (await spendable(first)) === 0)
  expect(await spendable(second)).toBe(0)
  await market.advance(120)
})

test('a large client does not stop a small one', async () => {
  const whales = await newAccounts(12)
  const small = await market.newAccount()
  await depositInOneBlock(whales, ACCOUNT)
  await depositInOneBlock([small], 150 * TRX)
  expect((await deposits(small))[0].status).toBe('confirmed')
  expect(await spendable([small])).toBe(150 * TRX)
  expect((await market.buy(small)).status).toBe(200)
})

test('two scanners lend no more than one', async () => {
  const { database, devnet } = market
  const second = await openTestApp({ database, devnet })
  try {
    const accounts = await newAccounts(14)
    for (const [place, account] of accounts.entries()) {
      await send(account, ACCOUNT, place)
      mine()
    }
    await seen(accounts)
    // The blocks of the first deposits are final by now, so their credit is free again.
    const [row] = await database.sql<{ counted: string }>(
      `select coalesce(sum(greatest(amount - 200000000, 0)), 0)::text as counted
         from (select sum(amount_sun) as amount from deposits.deposit
                where posted and verified_at is null group by account_id) a`,
    )
    expect(Number(row!.counted)).toBeLessThanOrEqual(SERVICE)
  } finally {
    await second.close()
  }
})
