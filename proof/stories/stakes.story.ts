// Proves: operator, delivery.
import { mnemonic } from '@ergon/devnet'
import { type Contract, parseAddress, privateKeyAt, toBase58 } from '@ergon/tron'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { SANDBOX_STAKE_ADDRESS } from '../../service/app/sandboxNetwork.ts'
import { systemRuntime } from '../../service/kernel/index.ts'
import { runStakes } from '../../service/operator/index.ts'
import { type Market, openMarket } from '../testing/market.ts'
import { sendWithKey } from '../testing/thief.ts'

// The owner of the stake votes and unfreezes with their own key; operators see what came of it.

const TRX = 1_000_000n
const DAY_MS = 86_400_000
const STAKE = parseAddress(SANDBOX_STAKE_ADDRESS)!
const ownerKey = privateKeyAt(mnemonic, 1, 2)
const runtime = systemRuntime()
let market: Market
beforeAll(async () => {
  market = await openMarket({ runtime })
})
afterAll(() => market.close())

const rooms = () => ({ ...market.rooms, clock: runtime.clock })
async function printed(args: string[]) {
  const log = vi.spyOn(console, 'log').mockImplementation(() => {})
  try {
    const code = await runStakes(rooms(), args)
    return { code, out: log.mock.calls.map(([line]) => `${line}\n`).join('') }
  } finally {
    log.mockRestore()
  }
}
const shown = async () => JSON.parse((await printed(['--json'])).out)
const stakeNow = async (): Promise<Record<string, string>> => (await shown()).stakes[0]
const sun = (trx: bigint) => String(trx * TRX)

function send(contract: Contract) {
  sendWithKey(market.devnet, ownerKey, contract)
  market.devnet.chain.mine()
}
const unfreeze = (trx: bigint) =>
  send({
    type: 'UnfreezeBalanceV2Contract',
    value: { owner_address: STAKE, unfreeze_balance: trx * TRX, resource: 'ENERGY' },
  })

const PARTS = ['spendable', 'energy', 'bandwidth', 'unfreezing', 'withdrawable']
const sumOf = (stake: Record<string, string>) =>
  PARTS.reduce((sum, part) => sum + BigInt(stake[part]!), 0n)

test('what is staked, unfreezing and due adds up to what there was, at every step', async () => {
  const before = await stakeNow()
  expect(before).toMatchObject({
    address: SANDBOX_STAKE_ADDRESS,
    unfreezing: '0',
    withdrawable: '0',
  })
  unfreeze(300n)
  unfreeze(200n)
  const { stakes, calendar } = await shown()
  expect(stakes[0]).toMatchObject({
    unfreezing: sun(500n),
    energy: String(BigInt(before.energy!) - 500n * TRX),
  })
  expect(calendar.map(({ amount }: { amount: string }) => amount)).toEqual([sun(300n), sun(200n)])
  const waitMs = Date.parse(calendar[0].at) - runtime.clock.now().getTime()
  expect(Math.abs(waitMs - 14 * DAY_MS)).toBeLessThan(60_000)
  expect(sumOf(stakes[0])).toBe(sumOf(before))
  await market.advance(14 * 86_400 + 60)
  market.devnet.chain.mine()
  expect(await stakeNow()).toMatchObject({ unfreezing: '0', withdrawable: sun(500n) })
  send({ type: 'WithdrawExpireUnfreezeContract', value: { owner_address: STAKE } })
  const after = await stakeNow()
  expect(after).toMatchObject({
    unfreezing: '0',
    withdrawable: '0',
    spendable: String(BigInt(before.spendable!) + 500n * TRX),
  })
  expect(sumOf(after)).toBe(sumOf(before))
})

test('votes and their rewards are shown, and when they can be claimed', async () => {
  const { witness } = market.devnet.chain.network
  const votes = [{ vote_address: witness.address, vote_count: 1_000_000n }]
  send({ type: 'VoteWitnessContract', value: { owner_address: STAKE, votes } })
  expect(await stakeNow()).toMatchObject({ voting: '1000000', reward: '0' })
  for (let cycle = 0; cycle < 3; cycle++) {
    await market.advance(6 * 3_600)
    market.devnet.chain.mine()
  }
  const { reward, power, claimableFrom } = await stakeNow()
  expect(BigInt(reward!)).toBeGreaterThan(0n)
  expect(BigInt(power!)).toBeGreaterThan(1_000_000n)
  expect(Date.parse(claimableFrom!)).toBeLessThan(runtime.clock.now().getTime())
  send({ type: 'WithdrawBalanceContract', value: { owner_address: STAKE } })
  const claimed = await stakeNow()
  expect(claimed.reward).toBe('0')
  expect(Date.parse(claimed.claimableFrom!)).toBeGreaterThan(runtime.clock.now().getTime())
})

test('the command prints them, with the arithmetic of its advice', async () => {
  unfreeze(5n)
  const hour = new Date(runtime.clock.now().getTime() - 2 * DAY_MS)
  const bought = (provider: string, outcome: string, energy: number) =>
    market.database.sql(
      `insert into delivery.scorecard_hour (hour, provider, outcome, seconds, attempts, energy, price_sun)
       values (date_trunc('hour', $1::timestamptz), $2, $3, 0, 1, $4::numeric, $4::numeric * 20)`,
      [hour, provider, outcome, energy],
    )
  await bought('bazaar', 'delivered', 4_000_000)
  // Neither our own Energy nor what was not delivered would be sold by more stake.
  await bought('own_stake', 'delivered', 9_000_000)
  await bought('souk', 'failed', 9_000_000)
  const text = await printed([])
  expect(text.code).toBe(0)
  expect(text.out).toContain(SANDBOX_STAKE_ADDRESS)
  expect(text.out).toMatch(/\n {2}20\S+ +5 TRX of Energy, T/)
  const day = hour.toISOString().slice(0, 10)
  expect(text.out).toContain(
    `Marketplaces delivered 4,000,000 Energy for 80 TRX on 1 day; most on ${day}, 4,000,000.`,
  )
  expect(text.out).toMatch(/would have sold 4,000,000 and saved 80 TRX: /)
  const { stakes, advice } = await shown()
  expect(stakes[0].address).toBe(toBase58(STAKE))
  expect(advice).toMatchObject({ bought: '4000000', cost: '80000000' })
})

test('the command shows every term of the cost, and sets what the stake must earn', async () => {
  await market.rooms.stakeCosts.loop.runOnce()
  const text = (await printed([])).out
  expect(text).toContain('It must earn 5.00 % a year, over the last 7 days, on 80.00 % of its')
  expect(text).toMatch(/staked \S+ TRX, yield \S+ TRX, fees 0 TRX/)
  expect(text).toMatch(/Energy sold \S+ of \S+ produced; \S+ count/)
  const by = ['--by', 'ann', '--why', 'a test', '--json']
  const change = async (...words: string[]) => {
    const { code, out } = await printed(['cost', ...words, ...by])
    return { code, terms: JSON.parse(out).terms }
  }
  const set = await change('--yield', '450', '--floor', '10000', '--days', '14', '--sun', '18')
  expect(set).toMatchObject({ code: 0, terms: { yieldBps: '450', floorBps: '10000', days: '14' } })
  await market.rooms.providers.refresh()
  expect(market.rooms.providers.offers()[0]!.unitPrice).toBe(18n)
  expect((await change('--sun', 'none')).terms).toMatchObject({ unit: null, yieldBps: '450' })
  const [action] = await market.rooms.operator.actions.list({ limit: 1 })
  expect(action).toMatchObject({ who: 'ann', what: 'stake_terms', subject: 'own_stake' })
  expect((await change('--stake', SANDBOX_STAKE_ADDRESS, '--sun', '21')).code).toBe(0)
  expect((await shown()).cost.stakes[0]).toMatchObject({ unit: '21', isOverride: true })
  const wrong = [[], ['--yield', '0'], ['--floor', '99'], ['--days', '91'], ['--sun', '0']]
  const mixed = ['--stake', SANDBOX_STAKE_ADDRESS, '--yield', '400']
  for (const words of [...wrong, mixed]) {
    await expect(printed(['cost', ...words, ...by])).rejects.toThrow(/--/)
  }
  expect((await printed(['costs'])).code).toBe(2)
})
