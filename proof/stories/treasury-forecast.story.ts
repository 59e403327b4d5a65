// Proves: treasury, deposits.
import { toBase58 } from '@ergon/tron'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sun } from '../../service/kernel/index.ts'
import { approveBoth } from '../testing/approvals.ts'
import { type Market, openMarket } from '../testing/market.ts'
import { SOLID_LAG } from '../testing/solidLag.ts'
import { until } from '../testing/until.ts'

// What payouts take from the hot wallet before they are on the chain.

const TRX = 1_000_000n
let market: Market
beforeAll(async () => {
  market = await openMarket()
})
afterAll(() => market.close())

test('a payout that is asked for is needed tomorrow; once it is approved it is under way', async () => {
  const account = await market.fundedAccount('200')
  for (let block = 0; block < SOLID_LAG + 2; block++) market.devnet.chain.mine()
  await until('the deposit to be verified', async () => {
    const { deposits } = (await market.get(account, '/deposits')).body
    return deposits[0].verified_at !== null
  })
  const want = {
    account: account.account_id,
    to: toBase58(market.devnet.chain.network.funded[3]!.address),
  }
  const { payouts } = market.rooms.deposits
  const asked = await payouts.request({
    ...want,
    amount: sun(150n * TRX),
    reason: 'asked for',
    by: 'ann',
  })
  if ('refused' in asked) throw new Error(asked.refused)
  const view = () => market.rooms.treasury.view.hotWallet()
  expect((await view()).forecast.requested).toBe(150n * TRX)
  const { underWay } = await view()
  await approveBoth(payouts, asked.id, ['ann', 'bob'])
  expect((await view()).underWay).toBe(underWay + 150n * TRX)
})
