// Proves: deposits, chain, addresses.
import { toBase58 } from '@ergon/tron'
import { TronWeb } from 'tronweb'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestApp, type TestAccount, type TestApp } from '../testing/app.ts'
import { brokenInvariants } from '../testing/invariants.ts'
import { SOLID_LAG } from '../testing/solidLag.ts'
import { until } from '../testing/until.ts'

// What can happen to a deposit on the chain: mined, orphaned, mined again, dropped for good.

let app: TestApp
let tronWeb: TronWeb
let payer: string

beforeAll(async () => {
  app = await openTestApp()
  const [first] = app.devnet.chain.network.funded
  payer = toBase58(first!.address)
  tronWeb = new TronWeb({ fullHost: app.devnet.url, privateKey: first!.privateKey })
})
afterAll(() => app.close())

const call = (who: TestAccount, path: string) => app.call('GET', `/v1${path}`, { key: who.api_key })
const deposits = async (who: TestAccount) => (await call(who, '/deposits')).body.deposits
const balance = async (who: TestAccount) => (await call(who, '/account')).body.balance_trx
const mine = (blocks: number) => {
  for (let block = 0; block < blocks; block++) app.devnet.chain.mine()
}
const pay = async (who: TestAccount, amountSun: number) => {
  const body = { from: payer, to: who.deposit_address, amount_sun: amountSun }
  return (await app.call('POST', '/sandbox/chain/transfer', { body })).body.txid as string
}
const credited = (who: TestAccount, trx: string) =>
  until(`balance ${trx}`, async () => (await balance(who)) === trx)
const spendable = async (who: TestAccount) =>
  (await app.rooms.ledger.balanceOf(who.account_id)).spendable

test('orphaned and back in the new branch: withheld in between, credited once', async () => {
  const who = await app.newAccount()
  const txid = await pay(who, 7_000_000)
  mine(1)
  await credited(who, '7')
  // The transfer returns to the pool and is mined again in the new branch.
  app.devnet.chain.reorg(1, new Set())
  await app.scanned()
  await until('confirmed again', async () => (await deposits(who))[0].status === 'confirmed')
  expect(await balance(who)).toBe('7')
  expect(await spendable(who)).toBe(7_000_000n)
  mine(SOLID_LAG + 1)
  await until('final', async () => (await deposits(who))[0].verified_at !== null)
  expect((await deposits(who)).map((d: { tx_hash: string }) => d.tx_hash)).toEqual([txid])
})

test('dropped for good: pending and unspendable at once, reverted when it can no longer return', async () => {
  const who = await app.newAccount()
  const txid = await pay(who, 9_000_000)
  mine(1)
  await credited(who, '9')
  app.devnet.chain.reorg(1, new Set([txid]))
  await until('pending', async () => (await deposits(who))[0].status === 'pending')
  expect((await deposits(who))[0].credited_at).toBeNull()
  expect(await balance(who)).toBe('9')
  expect(await spendable(who)).toBe(0n)
  await app.call('POST', '/sandbox/clock', { body: { advance_seconds: 120 } })
  await until('reverted', async () => (await deposits(who))[0].status === 'reverted')
  await credited(who, '0')
  const [entry] = (await call(who, '/transactions')).body.transactions
  expect(entry).toMatchObject({
    entry_type: 'deposit_reversal',
    description: 'Deposit reversed: its transfer is no longer on the chain',
  })
  expect(await brokenInvariants(app.database)).toEqual([])
})

test('spent, then dropped for good: the balance is negative, it can read but not spend', async () => {
  const who = await app.newAccount()
  const txid = await pay(who, 5_000_000)
  mine(1)
  await credited(who, '5')
  await app.db.transaction((tx) =>
    app.rooms.ledger.post(tx, [
      {
        client: who.account_id,
        kind: 'adjustment',
        reference: `spent ${who.account_id}`,
        amount: -4_000_000n as never,
        counter: 'equity:operator',
        description: 'spent',
        trace: 'test',
      },
    ]),
  )
  app.devnet.chain.reorg(1, new Set([txid]))
  await app.call('POST', '/sandbox/clock', { body: { advance_seconds: 120 } })
  await credited(who, '-4')
  expect(await spendable(who)).toBe(0n)
  expect(await brokenInvariants(app.database)).toEqual([])
})

test('beyond the limit of unverified credit a deposit waits until its block is solid', async () => {
  const who = await app.newAccount()
  await pay(who, 9_000_000_000)
  await pay(who, 2_000_000_000)
  mine(1)
  await until('both seen', async () => (await deposits(who)).length === 2)
  const statuses = (await deposits(who)).map((d: { status: string }) => d.status)
  expect(statuses.toSorted()).toEqual(['confirmed', 'pending'])
  mine(SOLID_LAG + 1)
  await credited(who, '11000')
})

test('TRX that a contract call sends counts like any other', async () => {
  const who = await app.newAccount()
  const splitter = toBase58(app.devnet.chain.network.splitter)
  const parameter = [{ type: 'address', value: who.deposit_address }]
  const options = { feeLimit: 100_000_000, callValue: 3_000_000 }
  const { transaction } = await tronWeb.transactionBuilder.triggerSmartContract(
    splitter,
    'pay(address)',
    options,
    parameter,
  )
  await tronWeb.trx.sendRawTransaction(await tronWeb.trx.sign(transaction))
  mine(1)
  await credited(who, '3')
})

test('a token is recorded for the operator and never credited', async () => {
  const who = await app.newAccount()
  const body = { from: payer, to: who.deposit_address, amount: 25_000_000 }
  const { txid } = (await app.call('POST', '/sandbox/chain/usdt', { body })).body
  mine(1)
  const recorded = await until('the record', async () => {
    const rows = await app.database.sql(
      `select txid, address, amount::text from deposits.token where txid = $1`,
      [txid],
    )
    return rows.length > 0 && rows
  })
  expect(recorded).toEqual([{ txid, address: who.deposit_address, amount: '25000000' }])
  expect(await balance(who)).toBe('0')
})

test('a rescan finds what a forgotten address received, and doubles nothing', async () => {
  const who = await app.newAccount()
  const from = app.devnet.chain.head.number + 1
  await app.database.sql(`delete from chain.watched where true`)
  const blind = await openTestApp({ database: app.database, devnet: app.devnet })
  await app.rooms.chain.scanLoop.stop()
  await pay(who, 4_000_000)
  mine(2)
  await blind.scanned()
  expect(await deposits(who)).toEqual([])
  await app.database.sql(`insert into chain.watched (address, purpose) values ($1, 'deposit')`, [
    `41${tronWeb.address.toHex(who.deposit_address).slice(2)}`,
  ])
  expect(await blind.rooms.chain.rescan(from)).toBe(2)
  expect(await blind.rooms.chain.rescan(from)).toBe(2)
  expect(await balance(who)).toBe('4')
  expect((await deposits(who)).length).toBe(1)
  await blind.close()
})
