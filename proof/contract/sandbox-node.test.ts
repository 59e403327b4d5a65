// Proves: sandbox-api.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestApp, type TestApp } from '../testing/app.ts'

// The levers of the sandbox's node: what its token costs, and how it fails.

let app: TestApp
beforeAll(async () => {
  app = await openTestApp()
})
afterAll(() => app.close())

const post = (path: string, body: unknown) => app.call('POST', `/sandbox/chain/${path}`, { body })

test('the factor of the token can be set, and what is not given stays', async () => {
  const before = await post('energy', {})
  expect(before.body).toMatchObject({ factor: 34_000, network_usage: 60_000_000_000 })
  const set = await post('energy', { factor: 10_000 })
  expect([set.status, set.body.factor]).toEqual([200, 10_000])
  expect(set.body.network_usage).toBe(60_000_000_000)
  expect((await post('energy', { factor: 34_001 })).status).toBe(422)
  expect((await post('energy', { factor: 34_000 })).body.factor).toBe(34_000)
})

test('the node fails as it is told to, and {} ends it', async () => {
  const faults = { constant_timeout: true, times: 3 }
  expect(await post('node', faults)).toMatchObject({ status: 200, body: faults })
  expect(app.devnet.faults.settings).toEqual(faults)
  expect((await post('node', { syncing_blocks: -1 })).status).toBe(422)
  expect(await post('node', {})).toMatchObject({ status: 200, body: {} })
  expect(app.devnet.faults.settings).toEqual({})
})
