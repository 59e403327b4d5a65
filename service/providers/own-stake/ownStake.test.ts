import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestApp } from '../../../proof/testing/app.ts'
import { type Market, openMarket } from '../../../proof/testing/market.ts'
import { BLOCK_MS, openPassingTime } from '../../../proof/testing/passingTime.ts'
import { until } from '../../../proof/testing/until.ts'
import { createLog } from '../../kernel/index.ts'

let market: Market
beforeAll(async () => {
  market = await openMarket()
})
afterAll(() => market.close())

const HALF_AND_MORE = 300_000_000n

/** As delivery and standing Energy request it, each in its own transaction. */
const prepare = (energy: bigint) => {
  const { providers } = market.rooms
  const { address: receiver } = market.devnet.chain.network.funded[3]!
  return market.db.transaction(async (tx) => {
    const [prepared] = await providers.prepare(tx, 'own_stake', [{ receiver, energy }])
    return prepared!
  })
}

const room = async () => {
  await market.rooms.providers.refresh()
  return market.rooms.providers.offers()[0]!.capacity
}

test('two workers at once do not sell the same stake, and nobody does before the next block', async () => {
  const before = await room()
  const states = await Promise.all([prepare(HALF_AND_MORE), prepare(HALF_AND_MORE)])
  expect(states.map(({ state }) => state).toSorted()).toEqual(['prepared', 'refused'])
  expect(await prepare(HALF_AND_MORE)).toMatchObject({ reason: 'own stake has no room' })
  const between = await room()
  expect(before - between).toBeGreaterThanOrEqual(HALF_AND_MORE)
  await until('the delegation is in the pool', () => market.devnet.chain.pool.size > 0)
  market.devnet.chain.mine()
  await until('the block is read', async () => {
    const at = await market.rooms.chain.progress()
    return at?.number === market.devnet.chain.head.number
  })
  // Now the chain itself shows it, and it is not subtracted twice.
  expect(await room()).toBe(between)
})

test('on a head older than its life no delegation is built: the part waits for the next block', async () => {
  const time = await openPassingTime()
  const old = await openMarket({
    devnet: time.devnet,
    runtime: time.newRuntime(),
    blockMs: BLOCK_MS,
  })
  try {
    const { chain, providers } = old.rooms
    const { address: receiver } = time.devnet.chain.network.funded[3]!
    const prepareOne = () =>
      old.db.transaction(async (tx) => {
        const parts = [{ receiver, energy: 65_000n }]
        return (await providers.prepare(tx, 'own_stake', parts))[0]!.state
      })
    await chain.scanLoop.stop()
    time.pass(50)
    expect(await prepareOne()).toBe('later')
    chain.scanLoop.start()
    await until('a delegation can be built', async () => (await prepareOne()) === 'prepared')
  } finally {
    await old.close()
    await time.devnet.close()
  }
})

test('a stake that is not on the chain yet is said once, in a sentence, and its offer is gone', async () => {
  const lines: string[] = []
  const log = createLog('warn', { write: (line) => void lines.push(line) })
  const bare = await openTestApp({ log })
  try {
    await bare.database.sql(
      `insert into signing.address (address, purpose, position) values ($1, 'stake', 0)`,
      [`41${'99'.repeat(20)}`],
    )
    for (let poll = 0; poll < 3; poll++) await bare.rooms.providers.refresh()
    const told = lines
      .map((line) => JSON.parse(line))
      .filter(({ provider }) => provider === 'own_stake')
    expect(told.filter(({ reason }) => reason?.includes('not on the chain yet'))).toHaveLength(1)
    expect(told.every(({ error }) => error === undefined)).toBe(true)
    expect(bare.rooms.providers.offers()).toEqual([])
  } finally {
    await bare.close()
  }
})
