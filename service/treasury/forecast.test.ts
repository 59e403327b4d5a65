import { expect, test } from 'vitest'
import { arrivalOf, type Charge, type Readings } from './arrival.ts'
import { forecastOf, outlookOf, surplusOf } from './forecast.ts'

// The worked figures of docs/operating/treasury.md.

const TRX = 1_000_000n
const now = new Date('2026-11-19T00:00:00Z')
const weekAgo = new Date(now.getTime() - 7 * 86_400_000)
const flows = {
  underWay: 5_000n * TRX,
  requested: 2_000n * TRX,
  payouts: 70_000n * TRX,
  sweeps: 56_000n * TRX,
  fees: 35n * TRX,
  first: weekAgo,
}
const sent = { topUps: 21_000n * TRX, fees: 0n, first: null }
const forecast = forecastOf(flows, sent, now)

test('what a day needs: averages of the last days, and payouts that wait', () => {
  expect(forecast).toMatchObject({ days: 7, payouts: 10_000n * TRX, topUps: 3_000n * TRX })
  expect([forecast.sweeps, forecast.net]).toEqual([8_000n * TRX, 7_005n * TRX])
  const young = forecastOf({ ...flows, first: new Date(now.getTime() - 3_600_000) }, sent, now)
  expect([young.days, young.payouts]).toEqual([1, 70_000n * TRX])
  expect(forecastOf({ ...flows, sweeps: 700_000n * TRX }, sent, now).net).toBe(0n)
})

test('short is below the floor after the day, what is under way not counted', () => {
  const at = { hot: 30_000n * TRX, underWay: 5_000n * TRX, floor: 20_000n * TRX }
  expect(outlookOf(at, forecast)).toMatchObject({
    afterDay: 17_995n * TRX,
    hoursLeft: 85.6,
    isShort: true,
  })
  expect(outlookOf({ ...at, floor: 17_995n * TRX }, forecast).isShort).toBe(false)
})

test('a surplus leaves what is owed, under way and needed, and the middle of floor and ceiling', () => {
  const at = {
    hot: 150_000n * TRX,
    owed: 40_000n * TRX,
    underWay: 5_000n * TRX,
    surplus: 200_000n * TRX,
    floor: 20_000n * TRX,
    ceiling: 60_000n * TRX,
  }
  expect(surplusOf(at, forecast)).toEqual({ free: 97_995n * TRX, amount: 57_995n * TRX })
  // Where solid money covers less than the hot wallet alone, that counts.
  expect(surplusOf({ ...at, surplus: 72_005n * TRX }, forecast).amount).toBe(0n)
})

const from = new Date('2026-11-19T10:00:00Z')
const charge = (changes: Partial<Charge> = {}): Charge => ({
  id: 'a',
  state: 'delivered',
  cost: 1_170_000n,
  calledAt: new Date(from.getTime() + 60_000),
  ...changes,
})
const readings = (balance: bigint, changes: Partial<Readings> = {}): Readings => ({
  before: { balance: 120n * TRX, from, till: new Date(from.getTime() + 100), open: new Set() },
  after: { balance, ended: new Set(['a']) },
  amount: 1_880n * TRX,
  charges: [],
  ...changes,
})
const verdictOf = (balance: bigint, changes: Partial<Readings> = {}) =>
  arrivalOf(readings(balance, changes)).verdict

test('without open orders the balance rises by exactly the top-up less what was charged', () => {
  expect(verdictOf(2_000n * TRX)).toBe('arrived')
  expect(verdictOf(2_000n * TRX - 1n)).toBe('not_yet')
  expect(verdictOf(2_000n * TRX + 1n)).toBe('not_yet')
  expect(verdictOf(120n * TRX)).toBe('not_yet')
  const charges = [charge()]
  expect(verdictOf(1_998_830_000n, { charges })).toBe('arrived')
  expect(verdictOf(2_000n * TRX, { charges })).toBe('not_yet')
  expect(verdictOf(2_000n * TRX, { charges: [charge({ state: 'refused' })] })).toBe('arrived')
})

test('an order that was open at a reading makes a range; one as wide as the top-up says nothing', () => {
  const open = {
    charges: [charge({ state: 'sent' })],
    after: { balance: 0n, ended: new Set<string>() },
  }
  const at = (balance: bigint) => verdictOf(balance, { ...open, after: { ...open.after, balance } })
  expect([at(2_000n * TRX), at(1_998_830_000n), at(1_998_829_999n)]).toEqual([
    'arrived',
    'arrived',
    'not_yet',
  ])
  const wide = [charge({ state: 'sent', calledAt: from, cost: 2_000n * TRX })]
  expect(verdictOf(2_000n * TRX, { charges: wide })).toBe('unclear')
  expect(verdictOf(120n * TRX, { charges: wide })).toBe('unclear')
})
