import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { defineRoute, handle, Lasting, refuse, refuseFor, Verbatim } from '@ergon/contract'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sendRaw } from '../../proof/testing/raw.ts'
import { until } from '../../proof/testing/until.ts'
import { createLog, systemDoors } from '../kernel/index.ts'
import { sendRefusal } from './answer.ts'
import { mount } from './mount.ts'
import { measureRequests } from './operations.ts'
import { answerPolls } from './polls.ts'
import { createServer } from './server.ts'

const reply = { status: 200, description: 'x', schema: Type.Object({}) } as const
const common = { method: 'GET', auth: 'key', group: 'Shop', summary: 'x', reply } as const
const getTill = defineRoute({ ...common, name: 'getTill', path: '/till', refusals: [] })
const getSale = defineRoute({
  ...common,
  name: 'getSale',
  path: '/sale/{id}',
  params: Type.Object({ id: Type.String() }),
  refusals: ['order_not_found'],
})

const getLamp = defineRoute({ ...common, name: 'getLamp', path: '/lamp', refusals: [] })

const BROKEN = '00000000-0000-7000-8000-0000000000bb'
const THROWN = '00000000-0000-7000-8000-0000000000cc'
const ABSENT = '00000000-0000-7000-8000-0000000000aa'
const SALE = '00000000-0000-7000-8000-000000000001'
const ODD = '00000000-0000-7000-8000-0000000000ee'
const UNREACHED = '00000000-0000-7000-8000-0000000000ff'
const SLOW = '00000000-0000-7000-8000-0000000000dd'
const slow = Promise.withResolvers<void>()
/** How often the lamp was looked at, and whether it is still as it was then. */
const lamp = { looks: 0, isSo: true }
const routes = [
  handle(getLamp, ({ account }) => {
    lamp.looks += 1
    return new Lasting(JSON.stringify({ account, looks: lamp.looks }), () => lamp.isSo)
  }),
  handle(getTill, async ({ account }) => new Verbatim(JSON.stringify({ account, name: 'ß→€' }))),
  handle(getSale, ({ trace }, { params: { id } }) => {
    if (id === THROWN) throw new Error('canary: thrown')
    if (id === SLOW) return slow.promise.then(() => new Verbatim('{"trace":"slow"}'))
    if (id === ODD) return { id }
    if (id === UNREACHED) throw new Error('timeout exceeded when trying to connect')
    if (id === BROKEN) return Promise.reject(new Error('canary: rejected'))
    if (id === SALE) return new Verbatim(JSON.stringify({ id, trace }))
    return refuse('order_not_found')
  }),
]

let app: FastifyInstance
let url: string
let polled: Parameters<typeof answerPolls>[1]
let logged = ''
/** Requests that the framework was given. */
let framed = 0
const accounts = new Map([
  ['known', 'ada'],
  ['fast', 'out of budget'],
  ['shared', 'asks for budget'],
  ['spent', 'asks in vain'],
  ['failing', 'breaks the limit'],
])
const waits = new Map<string, number | Promise<number | undefined>>([
  ['out of budget', 7],
  ['asks for budget', Promise.resolve(undefined)],
  ['asks in vain', Promise.resolve(8)],
])
/** Keeps everybody for as long as the server lives. */
function remembering<T>(make: (account: string) => T) {
  const made = new Map([...accounts].map(([key, account]) => [key, make(account)]))
  return (key: string) => made.get(key)
}
const rateLimit = {
  check({ account }: { account: string }) {
    if (account === 'breaks the limit') return Promise.reject(new Error('canary: limit'))
    return waits.get(account)
  },
  loop: undefined as never,
}

beforeAll(async () => {
  const doors = systemDoors()
  const write = (line: string) => {
    logged += line
  }
  const log = createLog('info', { write })
  app = createServer({ doors, log, trustedProxies: [] })
  const { registry, meter } = measureRequests(app, doors.clock)
  mount(app, {
    prefix: '/v1',
    routes,
    async guard(request, answer) {
      framed += 1
      const account = accounts.get(String(request.headers['x-api-key']))
      const wait = account === undefined ? undefined : await rateLimit.check({ account })
      if (account !== undefined && wait === undefined) return account
      sendRefusal(answer, wait === undefined ? refuse('invalid_api_key') : refuseFor(wait))
      return undefined
    },
  })
  polled = { prefix: '/v1', routes, doors, log, meter, rateLimit, remembering }
  answerPolls(app, polled)
  app.get('/metrics', () => registry.metrics())
  url = await app.listen({ host: '127.0.0.1', port: 0 })
})
afterAll(() => app.close())

async function ask(path: string, headers: Record<string, string> = {}, method = 'GET') {
  const before = framed
  const answer = await fetch(url + path, {
    method,
    headers: { 'x-api-key': 'known', 'x-request-id': 'one', ...headers },
  })
  const told = Object.fromEntries(answer.headers)
  delete told.date
  const body = await answer.text()
  return { way: framed > before ? 'usual' : 'short', status: answer.status, headers: told, body }
}

/** Answers with 200 so far. */
async function counted(route: string): Promise<number> {
  const lines = await (await fetch(`${url}/metrics`)).text()
  const series = `ergon_http_answers_total{method="GET",route="/v1/${route}",status="200"}`
  const line = lines.split('\n').find((one) => one.startsWith(series))
  return line ? Number(line.slice(series.length)) : 0
}

test.each([
  ['a balance', '/v1/till', 'known', 200],
  ['an order', `/v1/sale/${SALE}`, 'known', 200],
  ['an order that is not there', `/v1/sale/${ABSENT}`, 'known', 404],
  ['too many requests', '/v1/till', 'fast', 429],
  ['budget drawn in time', '/v1/till', 'shared', 200],
  ['budget drawn in vain', '/v1/till', 'spent', 429],
  ['a promise that failed', `/v1/sale/${BROKEN}`, 'known', 500],
  ['a bug of ours', `/v1/sale/${THROWN}`, 'known', 500],
  ['a database that is not reached', `/v1/sale/${UNREACHED}`, 'known', 503],
  ['a limit that fails', '/v1/till', 'failing', 500],
])('%s is told the same on both ways', async (_name, path, key, status) => {
  const short = await ask(path, { 'x-api-key': key })
  const usual = await ask(`${path}?x=1`, { 'x-api-key': key })
  expect([short.way, usual.way, short.status]).toEqual(['short', 'usual', status])
  expect({ ...short, way: '' }).toEqual({ ...usual, way: '' })
})

test('what holds is told again without asking, each time with its own id', async () => {
  lamp.looks = 0
  const told = [await ask('/v1/lamp'), await ask('/v1/lamp', { 'x-request-id': 'two' })]
  expect(told.map(({ way, body }) => [way, body])).toEqual(
    Array(2).fill(['short', '{"account":"ada","looks":1}']),
  )
  expect(told.map(({ headers }) => headers['x-request-id'])).toEqual(['one', 'two'])
  expect((await ask('/v1/lamp', { 'x-api-key': 'shared' })).body).toContain('asks for budget')
  expect((await ask('/v1/lamp', { 'x-api-key': 'fast' })).status).toBe(429)
  expect((await ask('/v1/till')).body).toContain('name')
  expect(lamp.looks).toBe(2)
})

test('what is told again is counted like everything else, by the limit and in the metrics', async () => {
  const before = await counted('lamp')
  for (const _ of [1, 2, 3]) await ask('/v1/lamp')
  expect((await counted('lamp')) - before).toBe(3)
  waits.set('ada', 9)
  const { status, headers } = await ask('/v1/lamp')
  waits.delete('ada')
  expect([status, headers['retry-after']]).toEqual([429, '9'])
})

test('what does not hold any more is asked for again', async () => {
  await ask('/v1/lamp')
  lamp.isSo = false
  const { looks } = lamp
  expect((await ask('/v1/lamp')).body).toContain(`"looks":${looks + 1}`)
  expect((await ask('/v1/lamp')).body).toContain(`"looks":${looks + 2}`)
})

test('an error is logged with its request and the path of the table', async () => {
  await ask(`/v1/sale/${BROKEN}`, { 'x-request-id': 'this-one' })
  const line = logged.split('\n').find((one) => one.includes('this-one'))
  expect(JSON.parse(line!)).toMatchObject({
    msg: 'request_failed',
    request: 'this-one',
    method: 'GET',
    route: '/v1/sale/:id',
    error: { message: 'canary: rejected' },
  })
})

test('an answer that is not Verbatim is a fault, not the end of the process', async () => {
  const { way, status, body } = await ask(`/v1/sale/${ODD}`)
  expect([way, status, body]).toEqual(['short', 500, '{"detail":"Internal Server Error"}'])
  expect(logged).toContain('its answer is not Verbatim')
})

test('a route with more than a path cannot be polled', async () => {
  const query = Type.Object({ page: Type.Integer() })
  const getList = defineRoute({ ...common, name: 'getList', path: '/list', query, refusals: [] })
  const list = [handle(getList, () => new Verbatim('{}'))]
  const other = createServer({ ...polled, trustedProxies: [] })
  expect(() => answerPolls(other, { ...polled, routes: list })).toThrow(
    'getList is not a route that can be polled',
  )
  await other.close()
})

test.each([
  ['an unknown key', '/v1/till', { 'x-api-key': 'stranger' }, 401],
  ['an id that is not one', '/v1/sale/7', {}, 404],
  ['an id in capitals', `/v1/sale/${ABSENT.toUpperCase()}`, {}, 404],
  ['an id with a coded letter', `/v1/sale/${SALE.slice(0, -3)}%31`, {}, 404],
  ['a query instead of an id', `/v1/sale/${SALE.slice(0, -4)}?x=1`, {}, 404],
])('%s goes the usual way', async (_name, path, headers, status) => {
  const answer = await ask(path, headers)
  expect([answer.way, answer.status]).toEqual(['usual', status])
})

test('HEAD and a body go the usual way', async () => {
  expect(await ask('/v1/till', {}, 'HEAD')).toMatchObject({ way: 'usual', status: 200, body: '' })
  const before = framed
  const head = 'GET /v1/till HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-API-Key: known\r\n'
  const withBody = await sendRaw(url, `${head}Content-Length: 2\r\n\r\n{}`)
  const chunked = await sendRaw(
    url,
    `${head}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
  )
  expect([withBody.status, chunked.status, framed - before]).toEqual([200, 200, 2])
})

test('requests in one packet are answered in their order', async () => {
  const one = (id: string) =>
    `GET /v1/sale/${SALE} HTTP/1.1\r\nHost: x\r\nX-API-Key: known\r\nX-Request-Id: ${id}\r\n`
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.write(`${one('first')}\r\n${one('second')}\r\n${one('third')}Connection: close\r\n\r\n`)
  const received = await text(socket)
  expect([...received.matchAll(/"trace":"(\w+)"/g)].map(([, id]) => id)).toEqual([
    'first',
    'second',
    'third',
  ])
})

test('an unfit X-Request-Id is replaced', async () => {
  const { way, headers } = await ask('/v1/till', { 'x-request-id': 'has space' })
  expect([way, headers['x-request-id']]).toEqual([
    'usual',
    expect.stringMatching(/^[0-9a-f-]{36}$/),
  ])
})

test('every answer is counted once, whichever way it went', async () => {
  const before = await counted('till')
  await ask('/v1/till')
  await ask('/v1/till?x=1')
  expect((await counted('till')) - before).toBe(2)
})

test('a request that comes while we close is answered, and its connection ends', async () => {
  const one = (id: string) => `GET /v1/sale/${id} HTTP/1.1\r\nHost: x\r\nX-API-Key: known\r\n\r\n`
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  const arrived = once(app.server, 'request')
  socket.write(one(SLOW))
  await arrived
  const closed = app.close()
  await until('the server listens no more', () => !app.server.listening)
  socket.write(one(SALE))
  slow.resolve()
  const [, first, second] = (await text(socket)).split('HTTP/1.1 200 OK')
  expect(first).toContain('"trace":"slow"')
  expect(second).toContain('Connection: close')
  await closed
})
