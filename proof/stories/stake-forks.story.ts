// Proves: staking, signing.
import { decodeTransaction } from '@ergon/tron'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Market, openMarket } from '../testing/market.ts'
import { SOLID_LAG } from '../testing/solidLag.ts'
import { approveStake } from '../testing/stakeApprovals.ts'
import { until } from '../testing/until.ts'

// A fork removes the block with a freeze, which is mined again with the same bytes, or never.

const TRX = 1_000_000n
let market: Market
beforeAll(async () => {
  market = await openMarket()
})
afterAll(() => market.close())

const staking = () => market.rooms.staking
const mine = (blocks: number) => {
  for (let block = 0; block < blocks; block++) market.devnet.chain.mine()
}
const find = async (id: string) => (await staking().find(id))!
const frozenOnChain = (amount: bigint) => {
  const { chain } = market.devnet
  return Array.from({ length: chain.head.number }, (_, n) => chain.block(n + 1)!)
    .flatMap(({ transactions }) => transactions)
    .map((bytes) => decodeTransaction(bytes).raw.contract)
    .filter((one) => one.type === 'FreezeBalanceV2Contract' && one.value.frozen_balance === amount)
    .length
}
async function approvedFreeze(amount: bigint): Promise<string> {
  const said = { reason: 'asked for', by: 'ann' }
  const wish = { stake: '', action: 'freeze', amount, ...said } as const
  const response = await staking().request(wish)
  if ('refused' in response) throw new Error(response.refused)
  await approveStake(staking(), response.id)
  staking().wake()
  await until('its bytes in the pool', async () => {
    const { txid } = await find(response.id)
    return txid !== null && market.devnet.chain.pool.has(txid)
  })
  return response.id
}
const inState = (id: string, state: string) =>
  until(state, async () => {
    const row = await find(id)
    return row.state === state && row
  })

test('mined, orphaned and mined again: done once, and its block is the one that stayed', async () => {
  const { chain } = market.devnet
  const id = await approvedFreeze(31n * TRX)
  const { txid } = await find(id)
  expect(await staking().cancel(id, 'bob')).toMatchObject({
    refused: expect.stringContaining('It is signed'),
  })
  chain.mine()
  await until('it is seen in a block', async () => (await find(id)).block !== null)
  expect((await find(id)).shown).toBe('broadcast')
  chain.reorg(1, new Set([txid!]))
  await until('its block is gone', async () => (await find(id)).block === null)
  await until('the same bytes again', () => chain.pool.has(txid!))
  mine(SOLID_LAG + 2)
  const row = await inState(id, 'done')
  expect(row.txid).toBe(txid)
  expect(row.block).toBe(BigInt(chain.transaction(txid!)!.block.number))
  expect(frozenOnChain(31n * TRX)).toBe(1)
  const fees = await market.database.sql(
    `select count(*) as n from ledger.movement where reference_id = $1`,
    [txid],
  )
  expect(fees).toEqual([{ n: row.fee! > 0n ? '1' : '0' }])
})

test('orphaned and never mined again: the next attempt needs both again, an hour later', async () => {
  const { chain } = market.devnet
  const id = await approvedFreeze(37n * TRX)
  const { txid } = await find(id)
  chain.mine()
  chain.reorg(1, new Set([txid!]))
  await market.advance(7_200)
  const expired = await inState(id, 'expired')
  expect(expired).toMatchObject({ attempt: 2n, txid: null, block: null })
  expect(expired.trouble).toMatch(/^its bytes expired/)
  expect(await approveStake(staking(), id)).toEqual({ id })
  await market.advance(3_500)
  expect(await find(id)).toMatchObject({ state: 'approved', txid: null })
  await market.advance(200)
  await until('the next attempt on the chain', async () => {
    const { txid: again } = await find(id)
    return again !== null && (chain.pool.has(again) || chain.transaction(again) !== undefined)
  })
  mine(SOLID_LAG + 2)
  expect(await inState(id, 'done')).toMatchObject({ attempt: 2n })
  expect(frozenOnChain(37n * TRX)).toBe(1)
})

test('an operation that is done stays done, whoever has the database of the service', async () => {
  const [row] = await staking().list(1)
  const again = `update staking.operation set state = 'approved', txid = null, fee_sun = null, ended_at = null where id = $1`
  await expect(market.database.sql(again, [row!.id])).rejects.toMatchObject({ code: '23514' })
})
