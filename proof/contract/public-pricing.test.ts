// Proves: pricing.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestApp, type TestApp } from '../testing/app.ts'

let app: TestApp
beforeAll(async () => {
  app = await openTestApp()
})
afterAll(() => app.close())

const standard = {
  name: 'standard',
  activation_fee_trx: '10',
  daily_sub_trx: '1',
  unit_price_65k_trx: '2.2',
  unit_price_131k_trx: '4.4',
  term_days: null,
}

const pricing = () => app.call('GET', '/v1/public/pricing')
const settings = (body: Record<string, unknown>) => app.call('POST', '/sandbox/settings', { body })

test('200 without a key: the defaults of a new sandbox', async () => {
  const { status, body } = await pricing()
  expect(status).toBe(200)
  expect(body).toEqual({
    unit_price_sun: body.schedule[new Date().getUTCHours()],
    schedule: expect.any(Array),
    timezone: 'UTC',
    min_amount: 32_000,
    max_amount: 5_000_000,
    plans: [standard],
  })
  expect(body.schedule).toHaveLength(24)
  expect([Math.min(...body.schedule), Math.max(...body.schedule)]).toEqual([24, 36])
})

test('unit_price_sun is the schedule at this hour, before any discount, and follows the settings', async () => {
  const schedule = Array.from({ length: 24 }, (_, hour) => 100 + hour)
  await settings({ schedule, min_amount: 1_000, max_amount: 2_000 })
  for (let round = 0; round < 2; round++) {
    const hour = new Date((await app.call('GET', '/sandbox/clock')).body.now).getUTCHours()
    expect((await pricing()).body).toEqual({
      unit_price_sun: 100 + hour,
      schedule,
      timezone: 'UTC',
      min_amount: 1_000,
      max_amount: 2_000,
      plans: [standard],
    })
    await app.call('POST', '/sandbox/clock', { body: { advance_seconds: 3_600 } })
  }
})

test('a key is neither needed nor looked at', async () => {
  expect((await app.call('GET', '/v1/public/pricing', { key: 'nonsense' })).status).toBe(200)
})

test('405 for any other method', async () => {
  const { status, text } = await app.call('POST', '/v1/public/pricing', { body: {} })
  expect([status, text]).toEqual([405, '{"detail":"Method Not Allowed"}'])
})

test('plans are those the operator has set, in that order; one left out is withdrawn', async () => {
  const yearly = { ...standard, name: 'yearly', daily_sub_trx: '0.5', term_days: 365 }
  const { body } = await settings({ plans: [yearly, { ...standard, activation_fee_trx: '0' }] })
  const wanted = [yearly, { ...standard, activation_fee_trx: '0' }]
  expect(body.plans).toEqual(wanted)
  expect((await pricing()).body.plans).toEqual(wanted)
  await settings({ plans: [yearly] })
  expect((await pricing()).body.plans).toEqual([yearly])
  await settings({ plans: [standard] })
})

test.each([
  ['a negative fee', { activation_fee_trx: '-1' }],
  ['a fee that is no decimal', { daily_sub_trx: '1e3' }],
  ['a unit for nothing', { unit_price_65k_trx: '0' }],
  ['a large unit cheaper than a small one', { unit_price_131k_trx: '2.199999' }],
])('a plan with %s is refused', async (_what, wrong) => {
  const { status, body } = await settings({ plans: [{ ...standard, ...wrong }] })
  expect([status, body.detail.error]).toEqual([400, 'validation_error'])
  expect((await pricing()).body.plans).toEqual([standard])
})
