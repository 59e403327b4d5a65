// Proves: autoenergy, delivery.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { STANDING_ENERGY } from '../../service/delivery/index.ts'
import type { Planned } from '../testing/addressOnChain.ts'
import { CoverModel } from '../testing/coverModel.ts'

// Strangers take at most two levels from a covered address per activation fee, whatever they, the
// address and its client do, and however late our measurements are. The decisions are the service's
// own code; the chain is a model with the network's formulas.

const ALL = 10_000_000n
const SECONDS = [0, 0, 0, 20, 40, 130, 1_700]
const MONTH_MS = 31 * 86_400_000

const call = fc.record({
  what: fc.constantFrom<'own' | 'others'>('own', 'others', 'others'),
  energy: fc.oneof(
    fc.constantFrom(ALL, 65_000n, 131_000n, 13_000n, 600n, 400n),
    fc.bigInt(1n, 140_000n),
  ),
})
const tick = fc.record({
  calls: fc.array(call, { maxLength: 2 }),
  isMoveFirst: fc.boolean(),
  seconds: fc.constantFrom(...SECONDS),
  isRead: fc.integer({ min: 0, max: 3 }),
  /** Blocks that the node is ahead of the scanner, or behind it; null: no measurement. */
  shift: fc.option(fc.integer({ min: -4, max: 4 }), { freq: 4 }),
  isSettled: fc.boolean(),
  act: fc.constantFrom('none', 'none', 'none', 'close', 'subscribe', 'reactivate', 'month'),
})
type Tick = typeof tick extends fc.Arbitrary<infer T> ? T : never

function act(model: CoverModel, what: Tick['act']): void {
  if (what === 'close') model.close()
  if (what === 'subscribe') model.subscribe()
  if (what === 'reactivate') model.reactivate()
  // Only between two subscriptions: a covered address is measured every half hour.
  if (what === 'month' && !model.sub.live) model.chain.pass(MONTH_MS)
}

function live(model: CoverModel, { calls, seconds, isRead, shift, ...rest }: Tick): void {
  act(model, rest.act)
  model.chain.pass(seconds * 1_000)
  model.mine(calls as Planned[], rest.isMoveFirst)
  const isLate = seconds > 60
  if (isRead > 0 || isLate) model.readAll()
  if (shift !== null || isLate) model.look(shift ?? 0)
  if (rest.isSettled) model.settle()
}

const mostFor = ({ fees }: CoverModel) => 2n * STANDING_ENERGY * BigInt(fees)

/** Finishes everything that is still pending. */
function rest(model: CoverModel): void {
  for (let step = 0; step < 12; step++) {
    model.chain.pass(31_000)
    model.mine([], true)
    model.readAll()
    model.look(0)
    model.settle()
  }
}

test('strangers take at most two levels for each activation fee', () => {
  let topUps = 0
  fc.assert(
    fc.property(fc.array(tick, { minLength: 10, maxLength: 120 }), (ticks) => {
      const model = new CoverModel()
      model.subscribe()
      for (const one of ticks) live(model, one)
      rest(model)
      topUps += model.topUps
      expect(model.chain.others).toBeLessThanOrEqual(mostFor(model))
    }),
    { numRuns: 3_000 },
  )
  // The model is not trivial: Energy is delivered and topped up.
  expect(topUps).toBeGreaterThan(3_000)
})

test('a patient thief, who comes back when each bar is over, pays the activation fee each time', () => {
  const model = new CoverModel()
  model.subscribe()
  for (let month = 1; month <= 6; month++) {
    rest(model)
    model.mine([{ what: 'others', energy: ALL }], true)
    rest(model)
    expect(model.sub).toMatchObject({ status: 'closed', live: false })
    expect(model.fees).toBe(month)
    model.chain.pass(MONTH_MS)
    model.mine([], true)
    model.readAll()
    model.reactivate()
  }
  expect(model.chain.others).toBeLessThanOrEqual(mostFor(model))
})

test('a modest thief, who closes and comes back before anything shows, is found by the receipts', () => {
  const model = new CoverModel()
  model.subscribe()
  for (let round = 0; round < 1_000; round++) {
    // Less than a measurement can tell from the rounding of the network's formulas.
    const taken = [{ what: 'others' as const, energy: 400n }]
    for (const calls of [[], taken, [], []]) {
      model.mine(calls, true)
      model.readAll()
      model.look(0)
      model.settle()
    }
    model.close()
    model.reactivate()
  }
  rest(model)
  expect(model.chain.others).toBeLessThanOrEqual(mostFor(model))
})

test('calls of the address alone are never held against it, and are filled up', () => {
  const honest = tick.map((one) => ({
    ...one,
    calls: one.calls.map(({ energy }) => ({ what: 'own' as const, energy })),
    act: 'none' as const,
    shift: one.shift === null ? null : Math.max(one.shift, -3),
  }))
  fc.assert(
    fc.property(fc.array(honest, { minLength: 10, maxLength: 80 }), (ticks) => {
      const model = new CoverModel()
      model.subscribe()
      rest(model)
      for (const one of ticks) live(model, { ...one, isSettled: true })
      rest(model)
      expect(model.sub.status).toBe('active')
      expect(model.taken).toBe(0n)
    }),
    { numRuns: 1_500 },
  )
})
