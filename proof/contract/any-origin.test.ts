// Proves: http, agent.
import { toBase58 } from '@ergon/tron'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AgentConfig, type AgentMarket, openAgentMarket } from '../testing/agent.ts'
import { openTestApp, type TestApp } from '../testing/app.ts'
import { openStream } from '../testing/eventStream.ts'

// /v1/pay/* and /v1/public/* can be read by scripts of any origin, and nothing else can.

const ORIGIN = 'https://shop.example'
const OPEN = 'access-control-allow-origin'

let market: AgentMarket
let config: AgentConfig
let payer: string
beforeAll(async () => {
  market = await openAgentMarket()
  config = await market.newConfig(await market.fundedAccount('200'))
  payer = toBase58(market.devnet.chain.network.funded[0]!.address)
})
afterAll(() => market?.close())

const ask = (method: string, path: string, headers: Record<string, string> = {}, at = market) =>
  at.call(method, path, { headers: { origin: ORIGIN, ...headers } })

test('every answer is open to every origin, and never with credentials', async () => {
  const page = `/v1/pay/${config.public_id}`
  for (const [status, method, path] of [
    [200, 'GET', page],
    [200, 'HEAD', page],
    [200, 'GET', `${page}/check?address=${payer}`],
    [200, 'GET', '/v1/public/pricing'],
    [404, 'GET', `/v1/pay/${'1'.repeat(22)}`],
    [404, 'GET', '/v1/pay/%zz'],
    [404, 'GET', '/v1/public/nothing'],
    [404, 'GET', '/v1/public/proof/nothing'],
    [405, 'POST', page],
    [422, 'GET', `${page}/check`],
    [422, 'GET', `${page}/live?payer=nobody`],
    [422, 'GET', '/v1/public/energy'],
  ] as const) {
    const answer = await ask(method, path)
    expect([path, answer.status, answer.headers.get(OPEN)]).toEqual([path, status, '*'])
    expect(answer.headers.get('access-control-expose-headers')).toBe('retry-after, x-request-id')
    expect(answer.headers.has('access-control-allow-credentials')).toBe(false)
  }
  const stream = await openStream(`${market.url}${page}/live?payer=${payer}`, { origin: ORIGIN })
  stream.close()
  expect([stream.status, stream.headers.get(OPEN)]).toEqual([200, '*'])
})

test('OPTIONS answers 204 with what a script may send, for these paths only', async () => {
  const asked = { 'access-control-request-method': 'GET' }
  for (const path of [
    `/v1/pay/${config.public_id}`,
    `/v1/pay/${config.public_id}/live`,
    '/v1/public/pricing',
    '/v1/public/energy',
  ]) {
    const { status, text, headers } = await ask('OPTIONS', path, asked)
    expect([path, status, text]).toEqual([path, 204, ''])
    expect(headers.get(OPEN)).toBe('*')
    expect(headers.get('access-control-allow-methods')).toBe('GET, HEAD')
    expect(headers.get('access-control-allow-headers')).toBe('*')
    expect(headers.get('access-control-max-age')).toBe('86400')
    expect(headers.has('access-control-allow-credentials')).toBe(false)
  }
  for (const path of ['/v1/account', '/v1/agent/configs', '/v1/buy', '/healthz', '/openapi.json']) {
    const { status, headers } = await ask('OPTIONS', path, asked)
    expect([path, status, headers.get(OPEN)]).toEqual([path, 405, null])
  }
  for (const path of ['/v1/pay', '/v1/public', '/v1/payments/x', '/v1/publicity']) {
    const { status, headers } = await ask('OPTIONS', path, asked)
    expect([path, status, headers.get(OPEN)]).toEqual([path, 404, null])
  }
})

test('other paths stay closed', async () => {
  for (const path of ['/v1/account', '/v1/estimate', `/pay/${config.public_id}`, '/v1/nothing']) {
    const { headers } = await ask('GET', path)
    expect([path, headers.get(OPEN)]).toEqual([path, null])
  }
})

test('429 is readable too, for the calls of an address; preflights are not counted', async () => {
  const { database, devnet } = market
  const node: TestApp = await openTestApp({ database, devnet, sandbox: false, role: 'api' })
  const at = { ...market, call: node.call }
  for (let asked = 0; asked < 130; asked++) await ask('OPTIONS', '/v1/public/pricing', {}, at)
  const answers = []
  for (let asked = 0; asked < 121; asked++)
    answers.push(await ask('GET', '/v1/public/pricing', {}, at))
  await node.close()
  expect(answers.slice(0, 120).every(({ status }) => status === 200)).toBe(true)
  const last = answers.at(-1)!
  expect([last.status, last.headers.get(OPEN)]).toEqual([429, '*'])
  expect(Number(last.headers.get('retry-after'))).toBeGreaterThan(0)
})
