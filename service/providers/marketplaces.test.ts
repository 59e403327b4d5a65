import { expect, test } from 'vitest'
import { readSettings, systemClock } from '../kernel/index.ts'
import { accessesOf, createMarketplaces } from './index.ts'

const accesses = (environment: Record<string, string>) => accessesOf(readSettings(environment))

test('nothing set, nobody to buy from', () => {
  expect(accesses({})).toEqual([])
})

test('a key puts a marketplace in service, at its published address', () => {
  const found = accesses({ CATFEE_KEY: 'k', CATFEE_SECRET: 's', TRONSAVE_KEY: 't' })
  expect(found).toEqual([
    { name: 'catfee', url: 'https://api.catfee.io', key: 'k', secret: 's' },
    { name: 'tronsave', url: 'https://api.tronsave.io', key: 't', secret: '' },
  ])
})

test.each([
  [{ CATFEE_KEY: 'k' }, 'CATFEE_KEY is set without CATFEE_SECRET.'],
  [{ ITRX_SECRET: 's' }, 'ITRX_SECRET is set without ITRX_KEY.'],
  [{ TRONZAP_KEY: 'k' }, 'TRONZAP_KEY is set without TRONZAP_SECRET.'],
  [{ UPSTREAM_KEY: 'k' }, 'UPSTREAM_KEY is set without UPSTREAM_URL.'],
  [{ UPSTREAM_2_KEY: 'k' }, 'UPSTREAM_2_KEY is set without UPSTREAM_2_URL.'],
  [{ ITRX_KEY: 'k', ITRX_SECRET: 's', ITRX_URL: '' }, 'ITRX_KEY is set without ITRX_URL.'],
])('%j stops the start', (environment, sentence) => {
  expect(() => accesses(environment)).toThrow(sentence)
})

test('every marketplace has its adapter, with limits below the published ones', () => {
  const names = ['catfee', 'itrx', 'tronsave', 'tronzap', 'ergon', 'ergon_2'] as const
  const access = { url: 'http://127.0.0.1:1', key: 'k', secret: 's' }
  const made = createMarketplaces(
    names.map((name) => ({ name, ...access })),
    { clock: systemClock() },
  )
  expect(made.map(({ name }) => name)).toEqual(names)
  for (const { callsPerSecond, queueMs } of made) {
    expect(callsPerSecond).toBeGreaterThan(0)
    expect(callsPerSecond).toBeLessThan(15)
    expect(queueMs).toBeGreaterThan(0)
  }
})
