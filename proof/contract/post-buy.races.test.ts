// Proves: orders, ledger.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { brokenInvariants } from '../testing/invariants.ts'
import { flatSchedule, type Market, openMarket } from '../testing/market.ts'
import { untilNodesKnowEachOther } from '../testing/nodes.ts'

let first: Market
let second: Market
beforeAll(async () => {
  first = await openMarket()
  const { database, devnet } = first
  second = await openMarket({ database, devnet, signer: false, role: 'api' })
  await first.settings({ schedule: flatSchedule(30) })
  await second.rooms.pricing.refresh()
  await untilNodesKnowEachOther(database, 2)
})
afterAll(async () => {
  expect(await brokenInvariants(first.database)).toEqual([])
  await second.close()
  await first.close()
})

const nodes = () => [first, second] as const
const statuses = (answers: { status: number }[]) => answers.map(({ status }) => status).sort()

test('two buys race for the last SUN: one succeeds, on one node or on two', async () => {
  for (const [left, right] of [
    [first, first],
    [first, second],
    [second, second],
  ] as const) {
    for (let round = 0; round < 5; round++) {
      const account = await first.fundedAccount('1.95')
      const answers = await Promise.all([left.buy(account), right.buy(account)])
      expect(statuses(answers)).toEqual([200, 400])
      const loser = answers.find(({ status }) => status === 400)!
      expect(loser.body.detail).toEqual({
        error: 'insufficient_balance',
        current_balance: 0,
        required_amount: 1_950_000,
      })
      expect(await first.balanceSun(account)).toBe(0n)
    }
  }
})

test('fifty buys race for the price of seven: seven succeed', async () => {
  const account = await first.fundedAccount('14')
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, at) => nodes()[at % 2]!.buy(account, { key: `k${at}` })),
  )
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(7)
  expect(answers.filter(({ status }) => status === 400)).toHaveLength(43)
  expect(await first.balanceSun(account)).toBe(14_000_000n - 7n * 1_950_000n)
  const after = answers.flatMap(({ body }) => body.balance_after_sun ?? [])
  expect(new Set(after).size).toBe(7)
})

test('100 same-key requests at once on two nodes: one order, the others 409 or the same bytes', async () => {
  for (let round = 0; round < 3; round++) {
    const account = await first.fundedAccount('100')
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, at) => nodes()[at % 2]!.buy(account, { key: 'one' })),
    )
    const bodies = new Set(answers.flatMap(({ status, text }) => (status === 200 ? text : [])))
    expect(bodies.size).toBe(1)
    const fresh = answers.filter(
      ({ status, headers }) => status === 200 && headers.get('idempotency-replayed') === null,
    )
    expect(fresh).toHaveLength(1)
    for (const { status, text } of answers) {
      if (status !== 200) {
        expect([status, text]).toEqual([409, '{"detail":{"error":"duplicate_request"}}'])
      }
    }
    expect((await first.get(account, '/orders')).body.total).toBe(1)
    expect(await first.balanceSun(account)).toBe(100_000_000n - 1_950_000n)
    const after = await second.buy(account, { key: 'one' })
    expect([after.status, after.text]).toEqual([200, [...bodies][0]])
  }
})
