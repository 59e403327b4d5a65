// Proves: deposits, signing.
import { decodeTransaction, toBase58, toHex } from '@ergon/tron'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SANDBOX_HOT_ADDRESS, SANDBOX_STAKE_ADDRESS } from '../../service/app/sandboxNetwork.ts'
import { sun } from '../../service/kernel/index.ts'
import type { TestAccount } from '../testing/app.ts'
import { approvalBy, approveBoth, FIRST, SECOND } from '../testing/approvals.ts'
import { holdAccount } from '../testing/holdAccount.ts'
import { type Market, openMarket } from '../testing/market.ts'
import { SOLID_LAG } from '../testing/solidLag.ts'
import { until } from '../testing/until.ts'

// A payout needs the signatures of two people, and keys that can do no more than they must.

const TRX = 1_000_000n
let market: Market
let stranger: string
beforeAll(async () => {
  market = await openMarket()
  stranger = toBase58(market.devnet.chain.network.funded[3]!.address)
})
afterAll(() => market.close())

const mine = (blocks: number) => {
  for (let block = 0; block < blocks; block++) market.devnet.chain.mine()
}
const payouts = () => market.rooms.deposits.payouts
const onChain = async (address: string) =>
  (await market.rooms.chain.node.getAccount(toHex(address)))?.balance ?? 0n

async function verifiedAccount(trx: string) {
  const account = await market.fundedAccount(trx)
  mine(SOLID_LAG + 1)
  await until('the deposit to be verified', async () => {
    const { deposits } = (await market.get(account, '/deposits')).body
    return deposits[0].verified_at !== null
  })
  return account
}

type Wish = Parameters<Market['rooms']['deposits']['payouts']['request']>[0]
const wish = (account: string, changes: Partial<Wish> = {}): Wish => ({
  account,
  to: stranger,
  amount: sun(30n * TRX),
  reason: 'the client asked for it',
  by: 'Ann',
  ...changes,
})
async function requested(account: string, changes: Partial<Wish> = {}): Promise<string> {
  const response = await payouts().request(wish(account, changes))
  if ('refused' in response) throw new Error(response.refused)
  return response.id
}
const stateOf = async (id: string) => (await payouts().list(100)).find((one) => one.id === id)!

async function paidOut(id: string) {
  await until('the payout in the pool', () => market.devnet.chain.pool.size > 0)
  mine(SOLID_LAG + 2)
  return until('the payout to be paid', async () => {
    const payout = await stateOf(id)
    return payout.state === 'paid' && payout
  })
}

test('asked for by one, approved by another: paid on the chain and booked, once', async () => {
  const account = await verifiedAccount('100')
  const before = await onChain(stranger)
  const id = await requested(account.account_id)
  expect(await payouts().approve(id, 'ann ', await approvalBy(payouts(), id, FIRST))).toEqual({
    id,
  })
  expect((await stateOf(id)).state).toBe('requested')
  expect(await market.balanceSun(account)).toBe(100n * TRX)
  const bobs = await approvalBy(payouts(), id, SECOND)
  const later = { ...bobs, ends: new Date(bobs.ends.getTime() + 1) }
  expect(await payouts().approve(id, 'Bob', later)).toMatchObject({
    refused: expect.stringContaining('does not fit'),
  })
  expect(await payouts().approve(id, 'Bob', bobs)).toEqual({ id })
  expect(await market.balanceSun(account)).toBe(70n * TRX)
  const paid = await paidOut(id)
  expect(await onChain(stranger)).toBe(before + 30n * TRX)
  expect(paid).toMatchObject({ requestedBy: 'ann', approvedBy: 'bob', to: stranger, attempt: 1n })
  expect(await payouts().approve(id, 'Carol', bobs)).toEqual({
    refused: 'It is paid: there is nothing to approve.',
  })
  expect(await payouts().cancel(id, 'Carol')).toEqual({ refused: 'It is paid already.' })
  const entries = (await market.get(account, '/transactions')).body
  expect(JSON.stringify(entries)).toContain('"payout"')
  const booked = await market.database.sql(
    `select debit, credit, amount_sun from ledger.movement where kind = 'payout' and reference_id = $1`,
    [id],
  )
  expect(booked).toEqual([{ debit: 'client', credit: 'asset:hot', amount_sun: '30000000' }])
})

/** Changes a row as only the owner of the tables can. */
async function withoutTrigger(sql: string, id: string) {
  await market.database.sql(`alter table deposits.payout disable trigger keep_payout`)
  await market.database.sql(sql, [id])
  await market.database.sql(`alter table deposits.payout enable trigger keep_payout`)
}

test('a payout that is paid stays paid, and is not paid again whatever its row says', async () => {
  const account = await verifiedAccount('100')
  const id = await requested(account.account_id)
  await approveBoth(payouts(), id, ['ann', 'bob'])
  const paid = await paidOut(id)
  expect(paid.signed).toMatchObject([{ attempt: 1n, txid: paid.txid }])
  const again = `update deposits.payout set state = 'expired', attempt = 2, txid = null, signing_request = null,
    fee_sun = null where id = $1`
  const app = new pg.Client({ connectionString: market.database.url('ergon_app') })
  await app.connect()
  for (const sql of [again, `update deposits.payout set to_address = to_address where id = $1`]) {
    await expect(app.query(sql, [id])).rejects.toMatchObject({ code: '23514' })
  }
  await app.end()
  await withoutTrigger(again, id)
  expect(await payouts().approve(id, 'bob', await approvalBy(payouts(), id, FIRST))).toEqual({
    refused: `It is paid: transaction ${paid.txid} is on the chain.`,
  })
})

test('what is not there, not verified, or goes to ourselves is not paid out', async () => {
  const account = await verifiedAccount('50')
  const refusal = async (changes: Partial<Wish>) =>
    payouts().request(wish(account.account_id, changes))
  expect(await refusal({ amount: sun(50n * TRX + 1n) })).toEqual({
    refused: 'Only 50 TRX of this account can be paid out now.',
  })
  expect(await refusal({ amount: sun(0n) })).toEqual({ refused: 'The amount is above zero.' })
  expect(await refusal({ to: 'Tnothing' })).toEqual({ refused: 'That is not a TRON address.' })
  for (const to of [SANDBOX_HOT_ADDRESS, SANDBOX_STAKE_ADDRESS, account.deposit_address]) {
    expect(await refusal({ to })).toMatchObject({ refused: expect.stringContaining('our own') })
  }
  expect(await refusal({ reason: ' ' })).toEqual({ refused: 'A payout needs a reason.' })
  expect(await refusal({ by: ' ' })).toMatchObject({ refused: expect.stringContaining('name') })

  // Credited with its block, which may still be orphaned.
  const young = await market.fundedAccount('20')
  const response = await payouts().request(wish(young.account_id, { amount: sun(1n) }))
  expect(response).toEqual({ refused: 'Only 0 TRX of this account can be paid out now.' })
})

test('spent between request and approval: the approval is refused and nothing moves', async () => {
  const account = await verifiedAccount('31')
  const first = await requested(account.account_id)
  const second = await requested(account.account_id)
  expect(await approveBoth(payouts(), first, ['ann', 'bob'])).toEqual({ id: first })
  expect(await approveBoth(payouts(), second, ['ann', 'bob'])).toEqual({
    refused: 'Only 1 TRX of this account can be paid out now.',
  })
  expect((await stateOf(second)).state).toBe('requested')
})

/** Credited, and not verified before further blocks. */
async function deposit(account: TestAccount, trx: number) {
  const before = await market.balanceSun(account)
  const body = { from: stranger, to: account.deposit_address, amount_sun: trx * 1_000_000 }
  await market.call('POST', '/sandbox/chain/transfer', { body })
  mine(1)
  await until('the credit', async () => (await market.balanceSun(account)) > before)
}

test('two payouts approved at once: together they do not pay out what is not verified', async () => {
  const account = await verifiedAccount('30')
  const ids = [await requested(account.account_id), await requested(account.account_id)]
  await deposit(account, 40)
  for (const id of ids) {
    await payouts().approve(id, 'ann', await approvalBy(payouts(), id, FIRST))
  }
  const second = await Promise.all(ids.map((id) => approvalBy(payouts(), id, SECOND)))
  let both: Promise<unknown[]> | undefined
  await holdAccount(market.database, account.account_id, async (inFlight) => {
    both = Promise.all(ids.map((id, place) => payouts().approve(id, 'bob', second[place]!)))
    await inFlight()
  })
  const refused = 'Only 0 TRX of this account can be paid out now.'
  const responses = await both!
  expect(responses).toContainEqual({ refused })
  expect(responses.filter((one) => 'id' in Object(one))).toHaveLength(1)
  expect(await market.balanceSun(account)).toBe(40n * TRX)
})

test('a payout above what the signer pays out in an hour is refused before anything is charged', async () => {
  const account = await verifiedAccount('6000')
  await deposit(account, 6000)
  mine(SOLID_LAG + 2)
  await until('all is verified', async () => {
    const { deposits } = (await market.get(account, '/deposits')).body
    const isVerified = ({ verified_at }: { verified_at: string | null }) => verified_at !== null
    return deposits.length === 2 && deposits.every(isVerified)
  })
  const refused = expect.stringMatching(/^The signer pays out at most 10000 TRX within an hour/)
  const large = wish(account.account_id, { amount: sun(11_000n * TRX) })
  expect(await payouts().request(large)).toEqual({ refused })
  // Requested while the limit was higher.
  const id = await requested(account.account_id, { amount: sun(9_000n * TRX) })
  await market.database.sql('update signing.payout_limit set hour_sun = 8999999999')
  expect(await approveBoth(payouts(), id, ['ann', 'bob'])).toMatchObject({
    refused: expect.stringContaining('8999.999999 TRX'),
  })
  await market.database.sql('update signing.payout_limit set hour_sun = 10000000000')
  expect((await stateOf(id)).state).toBe('requested')
  expect(await market.balanceSun(account)).toBe(12_000n * TRX)
})

test('the signer’s hourly limit holds a payout back; it says why and stays approved', async () => {
  // Several deposits: one that exceeds the limit of unverified credit would wait for its block.
  const account = await verifiedAccount('6000')
  const body = { from: stranger, to: account.deposit_address, amount_sun: 6_000_000_000 }
  await market.call('POST', '/sandbox/chain/transfer', { body })
  mine(SOLID_LAG + 2)
  await until('the second deposit', async () => {
    const { deposits } = (await market.get(account, '/deposits')).body
    const isVerified = (deposit: { verified_at: string | null }) => deposit.verified_at !== null
    return deposits.length === 2 && deposits.every(isVerified)
  })
  const ids = []
  for (const amount of [6_000n, 5_000n]) {
    ids.push(await requested(account.account_id, { amount: sun(amount * TRX) }))
  }
  const [first, id] = [ids[0]!, ids[1]!]
  await approveBoth(payouts(), first, ['ann', 'bob'])
  await paidOut(first)
  await approveBoth(payouts(), id, ['ann', 'bob'])
  const held = await until('the refusal', async () => {
    const payout = await stateOf(id)
    return payout.trouble !== null && payout
  })
  expect(held).toMatchObject({
    state: 'approved',
    txid: null,
    trouble: 'the hourly limit of payouts is reached',
  })
})

const paidTo = (address: string, amount: bigint) => {
  const { chain } = market.devnet
  const blocks = Array.from({ length: chain.head.number }, (_, n) => chain.block(n + 1)!)
  return blocks
    .flatMap(({ transactions }) => transactions)
    .map((bytes) => decodeTransaction(bytes).raw.contract)
    .filter(
      ({ type, value }) =>
        type === 'TransferContract' &&
        toBase58(value.to_address) === address &&
        value.amount === amount,
    ).length
}
const inState = (id: string, state: string) =>
  until(`${state}`, async () => {
    const payout = await stateOf(id)
    return payout.state === state && payout
  })

test('a cancelled payout is in the signer’s file before the money comes back', async () => {
  const account = await verifiedAccount('40')
  // One approval only: the amount is off the balance, and the signer waits for the second.
  const id = await requested(account.account_id, { amount: sun(17n * TRX) })
  await payouts().approve(id, 'bob', await approvalBy(payouts(), id, SECOND))
  expect(await market.balanceSun(account)).toBe(23n * TRX)
  await until('the refusal', async () => (await stateOf(id)).trouble?.includes('second operator'))
  expect(await payouts().cancel(id, 'Carol')).toEqual({ id })
  expect(await payouts().cancel(id, 'Carol')).toMatchObject({
    refused: expect.stringMatching(/^It is cancell/),
  })
  const ended = await inState(id, 'cancelled')
  expect(ended).toMatchObject({ cancelledBy: 'carol', txid: null })
  expect(await market.balanceSun(account)).toBe(40n * TRX)
  expect(await payouts().approve(id, 'ann', await approvalBy(payouts(), id, FIRST))).toEqual({
    refused: 'It is cancelled: there is nothing to approve.',
  })
  // The row is set back to approved without the service: the signer's file still has the
  // cancellation.
  const write = (change: string) =>
    withoutTrigger(`update deposits.payout set ${change} where id = $1`, id)
  await write(`state = 'approved', try_after = null`)
  const held = () => stateOf(id)
  await until('the refusal', async () => (await held()).trouble === 'this payout was cancelled')
  await write(`state = 'cancelled', txid = null, signing_request = null`)
  expect(paidTo(stranger, 17n * TRX)).toBe(0)
})

test('bytes that expired are signed anew an hour later, by approvals of the next attempt', async () => {
  const account = await verifiedAccount('60')
  const id = await requested(account.account_id, { amount: sun(19n * TRX) })
  await approveBoth(payouts(), id, ['ann', 'bob'])
  const { chain } = market.devnet
  await until('the payout in the pool', () => chain.pool.size > 0)
  expect(await payouts().cancel(id, 'bob')).toMatchObject({
    refused: expect.stringContaining('It is signed'),
  })
  // It is mined, a fork drops it, and it is not mined again in time.
  const [txid] = chain.pool.keys()
  chain.mine()
  chain.reorg(1, new Set([txid!]))
  await market.advance(7_200)
  expect(await inState(id, 'expired')).toMatchObject({ attempt: 2n, txid: null })
  expect(await market.balanceSun(account)).toBe(41n * TRX)
  await approveBoth(payouts(), id, ['ann', 'bob'])
  await market.advance(3_500)
  expect(await stateOf(id)).toMatchObject({ state: 'approved', txid: null })
  await market.advance(200)
  // The blocks that carry the new time may already contain it.
  await until('the payout on the chain', async () => {
    const { txid: again } = await stateOf(id)
    return again !== null && (chain.pool.has(again) || chain.transaction(again) !== undefined)
  })
  mine(SOLID_LAG + 2)
  await inState(id, 'paid')
  expect(paidTo(stranger, 19n * TRX)).toBe(1)
  expect(await market.balanceSun(account)).toBe(41n * TRX)
})

test('a delegation is signed by the delegate key under the permission for it', async () => {
  const account = await market.fundedAccount('100')
  const { order_id } = (await market.buy(account)).body
  const completed = await until('the order to be completed', async () => {
    await market.mineWhenRead()
    const order = (await market.get(account, `/order/${order_id}`)).body
    return order.status === 'COMPLETED' && order
  })
  const { bytes } = market.devnet.chain.transaction(completed.delegation_txids[0])!
  const { contract } = decodeTransaction(bytes).raw
  expect(contract.permissionId).toBe(2)
  expect(toBase58(contract.value.owner_address)).toBe(SANDBOX_STAKE_ADDRESS)
})

test('a request that policy forbids is answered with its reason, through the database', async () => {
  const account = await market.newAccount()
  const from = toHex(account.deposit_address)
  const value = { owner_address: from, to_address: toHex(stranger), amount: 1n }
  const contract = { type: 'TransferContract' as const, value }
  const ground = (await market.rooms.chain.ground(60_000))!
  const want = { purpose: 'sweep' as const, contract, ground, lifeMs: 60_000, position: 0n }
  const { id } = await market.db.transaction((tx) => market.rooms.signing.ask(tx, want))
  market.rooms.signing.wake()
  const [answer] = await until('the answer', async () => {
    const answers = await market.rooms.signing.answers([id])
    return answers.length > 0 && answers
  })
  expect(answer).toEqual({
    id,
    state: 'refused',
    reason: 'a sweep goes to the hot wallet and nowhere else',
  })
})
