import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestApp, type TestApp } from '../../../proof/testing/app.ts'

// No scanner runs.
let app: TestApp
beforeAll(async () => {
  app = await openTestApp({ role: 'api' })
})
afterAll(() => app.close())

test('no payout is approved or cancelled while the chain may know more than the books', async () => {
  const { payouts } = app.rooms.deposits
  const [id, ends] = [randomUUID(), new Date(Date.now() + 3_600_000)]
  const refused = { refused: 'No scanner has read a block yet.' }
  expect(await payouts.approve(id, 'ann', { key: '', ends, signature: '' })).toEqual(refused)
  expect(await payouts.cancel(id, 'ann')).toEqual(refused)
})
