import { afterAll, beforeAll, expect, test } from 'vitest'
import { openShop, type Shop } from '../../proof/testing/shop.ts'
import { until } from '../../proof/testing/until.ts'
import { createLog } from '../kernel/index.ts'

let shop: Shop
let lines: Record<string, unknown>[]
beforeAll(async () => {
  lines = []
  const write = (line: string) => void lines.push(JSON.parse(line))
  shop = await openShop({ log: createLog('info', { write }) })
})
afterAll(() => shop.close())

const lineOf = (request: string) =>
  until('the line', () => lines.find((line) => line.request === request))

test('each request is one line, with the template of its route', async () => {
  const headers = { 'x-request-id': 'one', 'x-canary': 'canary' }
  const body = JSON.stringify({ amount: 1, buyer: 'canary' })
  await fetch(`${shop.url}/sales/7?canary=canary`, { method: 'POST', headers, body })
  expect(await lineOf('one')).toEqual({
    level: 30,
    time: expect.any(String),
    msg: 'request',
    method: 'POST',
    route: '/sales/:id',
    status: expect.any(Number),
    duration_ms: expect.any(Number),
    request: 'one',
  })
  expect(JSON.stringify(lines)).not.toContain('canary')
})

test('a path that is not ours is not written', async () => {
  await fetch(`${shop.url}/canary`, { headers: { 'x-request-id': 'two' } })
  expect(await lineOf('two')).toMatchObject({ route: 'none', status: 404 })
  expect(JSON.stringify(lines)).not.toContain('canary')
})
