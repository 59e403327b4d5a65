// Proves: deposits, delivery, signer, signing, chain, orders.
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { toBase58, toHex } from '@ergon/tron'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SANDBOX_HOT_ADDRESS } from '../../service/app/sandboxNetwork.ts'
import { sun } from '../../service/kernel/index.ts'
import type { TestAccount } from '../testing/app.ts'
import { approveBoth } from '../testing/approvals.ts'
import { copyDatabase, createTestDatabase, type TestDatabase } from '../testing/database.ts'
import { brokenInvariants } from '../testing/invariants.ts'
import { type Market, openMarket } from '../testing/market.ts'
import { BLOCK_MS, openPassingTime, type PassingTime } from '../testing/passingTime.ts'
import { confirm } from '../testing/recovery.ts'
import { SOLID_LAG } from '../testing/solidLag.ts'
import { until } from '../testing/until.ts'
import { signerFolder } from '../testing/world.ts'

// The database goes back in time; the chain does not. And the signer's file of payouts is gone.

const TRX = 1_000_000n
const HOT_AT_FIRST = 100_000n * TRX
let time: PassingTime
let market: Market
let lost: TestDatabase
let restored: TestDatabase
let folder: string
let client: TestAccount
let stranger: string
const ids = { waiting: '', requested: '', lost: '' }
/** As the chain was before the restore. */
const before = { stranger: 0n, hot: 0n, receiver: 0n }

const open = async (database: TestDatabase) => {
  market = await openMarket({
    database,
    devnet: time.devnet,
    runtime: time.newRuntime(),
    blockMs: BLOCK_MS,
    sweepMin: sun(10n * TRX),
    signer: { SIGNER_DIR: folder },
  })
}
const mine = (blocks = 1) => time.pass(blocks * 3)
/** An hour later; the auditor has run meanwhile. */
async function anHourLater() {
  time.skip(3_700)
  await market.rooms.audit.loop.runOnce()
  await market.rooms.audit.proofs.look()
}
const payouts = () => market.rooms.deposits.payouts
const recovering = () => market.rooms.deposits.recovering()
const onChain = async (address: string) =>
  (await market.rooms.chain.node.getAccount(toHex(address)))?.balance ?? 0n
const energyOf = async (address: string) =>
  (await market.rooms.chain.node.getAccountResource(toHex(address)))?.energyLimit ?? 0n

async function requested(trx: bigint): Promise<string> {
  const amount = sun(trx * TRX)
  const want = { account: client.account_id, to: stranger, amount, reason: 'asked', by: 'ann' }
  const response = await payouts().request(want)
  if ('refused' in response) throw new Error(response.refused)
  return response.id
}
const approved = async (id: string) =>
  expect(await approveBoth(payouts(), id, ['ann', 'bob'])).toEqual({ id })
const stateOf = async (id: string) => (await payouts().find(id))?.state
const untilPaid = (id: string) =>
  until('the payout to be paid', async () => {
    mine()
    return (await stateOf(id)) === 'paid'
  })
async function deposited(trx: bigint) {
  const balance = await market.balanceSun(client)
  const body = { to: client.deposit_address, amount_sun: Number(trx * TRX) }
  expect((await market.call('POST', '/sandbox/faucet', { body })).status).toBe(200)
  mine(SOLID_LAG + 2)
  await until('the credit', async () => (await market.balanceSun(client)) > balance)
  await until('it is verified and swept', async () => {
    mine()
    return (await onChain(client.deposit_address)) === 0n
  })
}
const buy = (receiver: string) => market.buy(client, { body: { receiver_address: receiver } })
async function delivered(receiver: string) {
  const answer = await until('it sells', async () => {
    const one = await buy(receiver)
    return one.status === 200 && one
  })
  await until('the order to be delivered', async () => {
    mine()
    const { body } = await market.get(client, `/order/${answer.body.order_id}`)
    return body.status === 'COMPLETED'
  })
}

beforeAll(async () => {
  time = await openPassingTime()
  folder = signerFolder(time.devnet)
  stranger = toBase58(time.devnet.chain.network.funded[3]!.address)
  lost = await createTestDatabase()
  await open(lost)
})
afterAll(async () => {
  await market.close()
  await time.devnet.close()
  await Promise.all([lost.drop(), restored?.drop()])
  rmSync(folder, { recursive: true, force: true })
})

test('until the moment: a delivery, a payout asked for, another that waits for its signature', async () => {
  client = await market.newAccount()
  await deposited(500n)
  await delivered(market.receivers[1]!)
  ids.requested = await requested(30n)
  ids.waiting = await requested(20n)
  await market.signer!.stop()
  await approved(ids.waiting)
  await until('its bytes', async () => (await payouts().find(ids.waiting))?.txid !== null)
  await market.close()
  restored = await copyDatabase(lost)
})

test('after the moment: payouts, a deposit, a sweep, deliveries, and reclaims after the hour', async () => {
  await open(lost)
  await untilPaid(ids.waiting)
  await approved(ids.requested)
  await untilPaid(ids.requested)
  ids.lost = await requested(7n)
  await approved(ids.lost)
  await untilPaid(ids.lost)
  await deposited(200n)
  await delivered(market.receivers[1]!)
  await anHourLater()
  await until('both are taken back', async () => {
    mine()
    return (await energyOf(market.receivers[1]!)) === 0n
  })
  await delivered(market.receivers[2]!)
  mine(SOLID_LAG + 2)
  await market.scanned()
  expect(await brokenInvariants(lost)).toEqual([])
  before.stranger = await onChain(stranger)
  before.hot = await onChain(SANDBOX_HOT_ADDRESS)
  before.receiver = await energyOf(market.receivers[2]!)
  await market.close()
  // The signer's machine is lost too: nothing but the chain knows what was paid.
  rmSync(join(folder, 'payouts.jsonl'))
})

test('the restored service is in recovery: nothing is signed, nothing sold, and everybody is told', async () => {
  await open(restored)
  await market.scanned()
  await until('it knows', () => market.rooms.chain.lag.behind()?.reason === 'recovery')
  const refused = await buy(market.receivers[1]!)
  expect(refused.status).toBe(503)
  expect(refused.body.detail.message).toContain('comparing our books with the chain')
  expect(await market.rooms.signing.enabled()).toMatchObject({ enabled: false })
  const { selling, all } = await market.rooms.operator.status()
  expect(selling).toMatchObject({ ok: false, sentence: expect.stringContaining('In recovery') })
  expect(all).toContainEqual(expect.objectContaining({ what: 'recovery', count: 1n }))
  expect((await market.call('GET', '/metrics')).text).toMatch(/^ergon_recovery 1$/m)
  expect((await market.get(client, '/account')).status).toBe(200)
  expect((await market.call('GET', '/readyz')).status).toBe(200)
  const sentence = expect.stringContaining('npx ergon recover')
  expect(await approveBoth(payouts(), ids.requested, ['ann', 'bob'])).toEqual({ refused: sentence })
  expect(await payouts().cancel(ids.requested, 'ann')).toEqual({ refused: sentence })
  mine(SOLID_LAG + 2)
  await market.scanned()
  expect(await onChain(stranger)).toBe(before.stranger)
  expect(await onChain(SANDBOX_HOT_ADDRESS)).toBe(before.hot)
})

test('recover books what it can decide, once, also in two processes, and lists the rest', async () => {
  const done = await Promise.allSettled([recovering().recover(), recovering().recover()])
  expect(done.some(({ status }) => status === 'fulfilled')).toBe(true)
  const again = await recovering().recover()
  if ('refused' in again) throw new Error(again.refused)
  expect(again).toMatchObject({ booked: new Map(), waiting: 0 })
  expect(again.open.map(({ why }) => why)).toEqual([
    expect.stringContaining(`payout ${ids.requested} fits, and nobody has approved it`),
    expect.stringContaining('no payout in the books is of that'),
  ])
  expect([await stateOf(ids.waiting), await stateOf(ids.requested)]).toEqual(['paid', 'requested'])
  const [asked, txid] = again.open.map((one) => one.txid) as [string, string]
  const approves = await recovering().attach(asked, { payout: ids.requested }, 'ann')
  expect(approves).toEqual({ id: ids.requested })
  const attach = () =>
    recovering().attach(txid, { account: client.account_id, id: ids.lost }, 'ann')
  expect(await attach()).toEqual({ id: ids.lost })
  expect(await attach()).toMatchObject({ refused: expect.stringContaining('no open finding') })
})

test('the operator names what left without the signer’s own line; then it sells and signs again', async () => {
  const first = await confirm(restored, folder)
  if (first.confirmed) throw new Error('confirmed unseen')
  expect(first.unseen.map(({ payout }) => payout).sort()).toEqual(Object.values(ids).sort())
  expect(existsSync(join(folder, 'payouts.jsonl'))).toBe(false)
  const seen = first.unseen.map(({ txid }) => txid)
  const { booked } = first
  expect(first.why).toContain(`then say --booked ${booked}`)
  expect(await confirm(restored, folder, seen)).toMatchObject({ confirmed: false, unseen: [] })
  expect(await confirm(restored, folder, seen, booked)).toMatchObject({ confirmed: true, lines: 3 })
  expect(await confirm(restored, folder)).toMatchObject({ confirmed: true, findings: 0, lines: 0 })
  await delivered(market.receivers[1]!)
})

test('everything is paid once, the books are equal to the chain, and the Energy comes back', async () => {
  expect(await onChain(stranger)).toBe(before.stranger)
  const late = await requested(5n)
  await approved(late)
  const trouble = await until('the signer refuses', async () => {
    return (await payouts().find(late))?.trouble ?? undefined
  })
  expect(trouble).toContain('was rebuilt')
  expect(await payouts().cancel(late, 'ann')).toEqual({ id: late })
  await until('it is cancelled', async () => (await stateOf(late)) === 'cancelled')
  expect(await energyOf(market.receivers[2]!)).toBe(before.receiver)
  await anHourLater()
  await until('all is taken back', async () => {
    mine()
    const left = await Promise.all(market.receivers.slice(1, 3).map(energyOf))
    return left.every((energy) => energy === 0n)
  })
  mine(SOLID_LAG + 2)
  await market.scanned()
  const [books] = await restored.sql<{ hot: string; clients: string }>(
    `select (select sum(case when debit = 'asset:hot' then amount_sun else -amount_sun end) from ledger.movement
              where 'asset:hot' in (debit, credit)) as hot,
            (select sum(balance_sun) from ledger.account) as clients`,
  )
  expect(BigInt(books!.hot)).toBe((await onChain(SANDBOX_HOT_ADDRESS)) - HOT_AT_FIRST)
  const [spent] = await restored.sql<{ sun: string }>(
    `select sum(price_sun) as sun from orders.purchase_order where status = 'COMPLETED'`,
  )
  expect(BigInt(books!.clients)).toBe((700n - 57n) * TRX - BigInt(spent!.sun))
  // The address of the lost sweep was read before the sweep was booked; it is read again within a minute.
  await market.rooms.deposits.reconciling().look()
  const { depositAddresses, surplus } = await market.rooms.deposits.reconciling().reconcile()
  expect(depositAddresses.booked).toBe(depositAddresses.onChain)
  expect(surplus).toBeGreaterThanOrEqual(0n)
  expect(await brokenInvariants(restored)).toEqual([])
  expect(await recovering().recover()).toMatchObject({ booked: new Map(), open: [], waiting: 0 })
})
