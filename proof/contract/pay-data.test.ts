// Proves: agent, identity, ledger.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AgentConfig, type AgentMarket, BASE, openAgentMarket } from '../testing/agent.ts'
import type { TestAccount } from '../testing/app.ts'
import { flatSchedule } from '../testing/market.ts'
import { moveHead } from '../testing/moveHead.ts'
import { until } from '../testing/until.ts'

// GET /v1/pay/{public_id}: whose code it shows, and `available`, which says what becomes of one unit paid now.

let market: AgentMarket
beforeAll(async () => {
  market = await openAgentMarket()
  await market.settings({ max_configs: 1_000 })
})
afterAll(() => market?.close())

const read = async ({ public_id }: AgentConfig) =>
  (await market.call('GET', `/v1/pay/${public_id}`)).body
const generated = { mode: 'generated', address: undefined }

test('referral_code is the code of the owner, not of anybody else', async () => {
  const codes = new Set<string>()
  for (const name of ['one', 'other']) {
    const shop = await market.fundedAccount('150', { name })
    const config = await market.newConfig(shop)
    const [owner] = await market.database.sql<{ code: string }>(
      'select referral_code as code from identity.account where id = $1',
      [shop.account_id],
    )
    expect(owner!.code).toMatch(/^[A-Z2-9]{10}$/)
    for (let time = 0; time < 2; time++)
      expect((await read(config)).referral_code).toBe(owner!.code)
    codes.add(owner!.code)
  }
  expect(codes.size).toBe(2)
})

/** What becomes of one unit that is paid now, once it was judged. */
async function isSold(shop: TestAccount, config: AgentConfig): Promise<boolean> {
  const txid = await market.pay(config, BASE)
  market.mine()
  await until('judged', async () => {
    const [row] = await market.database.sql(
      `select from agent.payment where txid = $1 and (status <> 'processing' or try_after > created_at)`,
      [txid],
    )
    return row !== undefined
  })
  const { status } = await market.payment(shop, txid)
  return ['delivering', 'completed'].includes(String(status))
}

const seller = () => market.fundedAccount('150')
const ownStake = (change: Record<string, unknown>, usual: Record<string, unknown>) => ({
  begin: () => market.provider(change),
  end: () => market.provider(usual),
})
const asUsual = { begin: async () => {}, end: async () => {} }

test.each([
  ['nothing is in the way', true, () => asUsual],
  ['no provider offers Energy', false, () => ownStake({ behaviour: 'down' }, { behaviour: 'ok' })],
  [
    'providers have less than one unit',
    false,
    () => ownStake({ capacity: 64_999 }, { capacity: 500_000_000 }),
  ],
  [
    'Energy costs us more than its price',
    false,
    () => ownStake({ price_sun: 31 }, { price_sun: 15 }),
  ],
  [
    'the margin floor is above what is left',
    false,
    () => ({
      begin: () => market.rooms.pricing.changeTerms({ marginFloor: 16n }),
      end: () => market.rooms.pricing.changeTerms({ marginFloor: 0n }),
    }),
  ],
  [
    'selling is switched off',
    false,
    () => ({
      begin: () => market.settings({ purchases_enabled: false }),
      end: () => market.settings({ purchases_enabled: true }),
    }),
  ],
  [
    'the scanner is behind',
    false,
    () => ({ begin: () => moveHead(market, 5), end: () => moveHead(market, -5) }),
  ],
  [
    'the price is above the base payment',
    false,
    () => ({
      begin: () => market.settings({ schedule: flatSchedule(60) }),
      end: () => market.settings({ schedule: flatSchedule(30) }),
    }),
  ],
  [
    'one unit is smaller than the smallest order',
    false,
    () => ({
      begin: () => market.settings({ min_amount: 65_001 }),
      end: () => market.settings({ min_amount: 32_000 }),
    }),
  ],
])('%s: available is %s, and the sale agrees', async (_what, expected, when) => {
  for (const mode of [{}, generated]) {
    const shop = await seller()
    const config = await market.newConfig(shop, mode)
    const { begin, end } = when()
    await begin()
    try {
      expect((await read(config)).available).toBe(expected)
      const page = await (await fetch(`${market.url}/pay/${config.public_id}`)).text()
      expect(page.includes(config.address)).toBe(expected)
      expect(await isSold(shop, config)).toBe(expected)
    } finally {
      await end()
    }
  }
})

test('paused: not available, not sold', async () => {
  const shop = await seller()
  const config = await market.newConfig(shop)
  await market.agent(shop, 'POST', `/configs/${config.id}/pause`)
  expect((await read(config)).available).toBe(false)
  expect(await isSold(shop, config)).toBe(false)
})

test('a balance that cannot pay for one unit: an own wallet sells nothing, a dedicated address by what it is paid', async () => {
  await market.settings({ min_balance_sun: 0 })
  const shop = await market.newAccount()
  const dedicated = await market.newConfig(shop, generated)
  const own = await market.newConfig(shop)
  expect((await read(own)).available).toBe(false)
  expect((await read(dedicated)).available).toBe(true)
  expect(await isSold(shop, dedicated)).toBe(true)
  expect(await isSold(shop, own)).toBe(false)
})

test('a balance below zero eats the payment to a dedicated address: not available, not sold', async () => {
  await market.settings({ min_balance_sun: 0 })
  const shop = await market.fundedAccount('5')
  const config = await market.newConfig(shop, generated)
  expect((await market.buy(shop)).status).toBe(200)
  const [{ tx_hash }] = (await market.get(shop, '/deposits')).body.deposits
  market.devnet.chain.reorg(1, new Set([tx_hash]))
  const { ledger } = market.rooms
  await until('withheld', async () => (await ledger.balanceOf(shop.account_id)).spendable === 0n)
  expect((await read(config)).available).toBe(false)
  expect(await isSold(shop, config)).toBe(false)
})
