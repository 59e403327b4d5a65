// Proves: audit, orders, agent.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AgentMarket, openAgentMarket } from '../testing/agent.ts'
import { runningErgon } from '../testing/runningErgon.ts'
import { testRuntime } from '../testing/runtime.ts'
import { until } from '../testing/until.ts'

// An invariant that cannot be checked is reported, and stops selling after an hour of elapsed time.
// Here the auditor loses its right to read payments.

const runtime = testRuntime()
const logged: { event: string; invariant: unknown }[] = []
const record = (event: string, fields: Record<string, unknown> = {}) => {
  logged.push({ event, invariant: fields.invariant })
}
let market: AgentMarket
beforeAll(async () => {
  market = await openAgentMarket({
    runtime,
    log: { writesInfo: true, info: record, warn: record, error: record },
  })
  await market.rooms.audit.loop.runOnce()
})
afterAll(async () => {
  close()
  await market.close()
})

const { ergon, close } = runningErgon(() => ({
  DATABASE_URL: market.database.url('ergon_app'),
  TRON_URL: market.devnet.url,
}))

const MINUTE_MS = 60_000
const prove = () => market.rooms.audit.loop.runOnce()
const ageOf = (name: string) =>
  market.rooms.audit.proofs.ages().find(({ invariant }) => invariant === name)!
/** Moves time and polls the head, as the scanner does twice a second. */
async function pass(minutes: number) {
  runtime.pass(minutes * MINUTE_MS)
  await market.rooms.chain.lag.look()
}

test('an invariant that raises gets old, others stay young, and selling stops and resumes', async () => {
  const client = await market.fundedAccount('200')
  const config = await market.newConfig(client)
  const isAvailable = async () =>
    (await market.call('GET', `/v1/pay/${config.public_id}`)).body.available
  await market.database.sql(`revoke select on agent.payment from ergon_app`)
  try {
    await pass(16)
    await prove()
    expect(logged).toContainEqual({ event: 'invariant_not_proven', invariant: 'M15' })
    expect(ageOf('M15').ageMs).toBeGreaterThan(16 * MINUTE_MS - 1)
    expect(ageOf('M15').failures).toBe(1)
    expect(ageOf('M2').ageMs).toBeLessThan(16 * MINUTE_MS)
    const { stuck, books, selling } = await market.rooms.operator.status()
    expect(selling.ok).toBe(true)
    expect(books).toMatchObject({
      ok: false,
      sentence: expect.stringMatching(/^The oldest proof is that of M1[56], 1\d minutes old\./),
    })
    expect(stuck.work).toContainEqual(expect.objectContaining({ what: 'unproven', count: 2n }))
    expect((await market.call('GET', '/metrics')).text).toMatch(
      /^ergon_invariant_age_seconds\{invariant="M15"\} 9[67]\d/m,
    )

    const { out } = await ergon(['status'])
    expect(out).toMatch(
      / books {4}Oldest proof: M\d+, 2\d{3}-.+ Full pass \d+ over all history: \d+ %\.\n/,
    )
    expect(out).toContain(' M15: 1 runs ended with an error\n')

    await pass(43)
    await prove()
    // Retry until the offers are read again, which happens each second.
    await until('a purchase', async () => (await market.buy(client)).status === 200)
    await pass(2)
    await prove()
    expect(logged).toContainEqual({ event: 'selling_stopped', invariant: undefined })
  } finally {
    await market.database.sql(`grant select on agent.payment to ergon_app`)
  }
  const refused = await market.buy(client)
  expect([refused.status, refused.body.detail.error]).toEqual([503, 'service_unavailable'])
  expect(refused.body.detail.message).toMatch(/^Our books have not been checked for an hour/)
  expect(await isAvailable()).toBe(false)
  const { selling } = await market.rooms.operator.status()
  expect(selling.sentence).toMatch(/^M1[56] was not proven for 61 minutes\./)

  await prove()
  expect(logged).toContainEqual({ event: 'selling_resumed', invariant: undefined })
  await until('a purchase', async () => (await market.buy(client)).status === 200)
  await until('the pay page', isAvailable)
})

test('business time makes no proof older', async () => {
  await prove()
  await market.advance(2 * 3_600)
  expect(market.rooms.audit.proofs.unproven()).toBeUndefined()
})
