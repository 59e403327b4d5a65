// Proves: identity.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestApp, type TestApp } from '../testing/app.ts'
import { testRuntime } from '../testing/runtime.ts'

// Whether the time of a refusal tells how near a guess was. Every wrong key must cost the same
// statements; the measured times are printed, and only a gross difference fails, because the
// machines that run tests are noisy.

const ROUNDS = 400
const GROSS = 2

const runtime = testRuntime()
let app: TestApp
let good: string
let revoked: string
beforeAll(async () => {
  app = await openTestApp({ runtime })
  const { account, apiKey } = await app.rooms.accounts.create('timing')
  good = apiKey
  const other = await app.rooms.accounts.createKey(account)
  await app.rooms.accounts.revokeKey(account, other.keyId)
  revoked = other.apiKey
})
afterAll(() => app.close())

const guesses = (number: number): Record<string, string> => {
  const tail = String(number).padStart(6, '0')
  return {
    'nothing in common': `erg_${'A'.repeat(37)}${tail}`,
    'all but the end': good.slice(0, -6) + tail,
    'the end alone': `erg_${tail}${good.slice(10)}`,
    'a revoked one': revoked,
    'not a key at all': `x${tail}`,
  }
}

test('every wrong key of the right form costs the same statements, and none of them names it', async () => {
  const work: Record<string, string[]> = {}
  for (const [kind, key] of Object.entries(guesses(0))) {
    const before = runtime.statements.length
    const answer = await app.call('GET', '/v1/account', { key })
    expect([answer.status, answer.text]).toEqual([401, '{"detail":"Invalid API key"}'])
    // Leave out statements of loops.
    const all = runtime.statements.slice(before)
    work[kind] = all.filter((name) => name === 'identity.findKey')
  }
  const [first, ...others] = [
    'nothing in common',
    'all but the end',
    'the end alone',
    'a revoked one',
  ]
  expect(work[first!]).toHaveLength(1)
  for (const kind of others) expect([kind, work[kind]]).toEqual([kind, work[first!]])
})

test('the time of a refusal does not tell how near a guess was', async () => {
  const times: Record<string, number[]> = {}
  for (let round = 0; round < ROUNDS; round++) {
    // In another order each time, so that no kind always follows the same other.
    const all = Object.entries(guesses(round + 1)).slice(0, 3)
    for (let place = 0; place < all.length; place++) {
      const [kind, key] = all[(place + round) % all.length]!
      const fromMs = performance.now()
      await app.call('GET', '/v1/account', { key })
      times[kind] ??= []
      times[kind].push(performance.now() - fromMs)
    }
  }
  const medians = Object.entries(times).map(([kind, list]) => [kind, median(list)] as const)
  const scores = Object.entries(times).map(([kind, list]) => {
    const z = rankScore(list, times['nothing in common']!)
    return `${kind}: median ${median(list).toFixed(3)} ms, z ${z.toFixed(2)}`
  })
  console.log(`refusals, ${ROUNDS} of each kind: ${scores.join('; ')}`)
  const values = medians.map(([, value]) => value)
  expect(Math.max(...values) / Math.min(...values)).toBeLessThan(GROSS)
})

function median(list: readonly number[]): number {
  return list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)]!
}

/**
 * The Mann-Whitney test: how far the order of two samples is from chance, in standard deviations.
 */
function rankScore(a: readonly number[], b: readonly number[]): number {
  const all = [...a.map((ms) => ({ ms, mine: true })), ...b.map((ms) => ({ ms, mine: false }))]
  const sorted = all.toSorted((x, y) => x.ms - y.ms)
  const ranks = sorted.reduce((sum, { mine }, place) => sum + (mine ? place + 1 : 0), 0)
  const [n, m] = [a.length, b.length]
  const u = ranks - (n * (n + 1)) / 2
  return (u - (n * m) / 2) / Math.sqrt((n * m * (n + m + 1)) / 12)
}
