import { request as httpRequest, METHODS } from 'node:http'
import { connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sendRaw } from '../../proof/testing/raw.ts'
import { fixedPart } from '../../proof/testing/refused.ts'
import { openShop, type Shop } from '../../proof/testing/shop.ts'
import { createLog } from '../kernel/index.ts'
import type { Guard } from './mount.ts'

let shop: Shop
let logged = ''
beforeAll(async () => {
  const write = (line: string) => {
    logged += line
  }
  shop = await openShop({ log: createLog('info', { write }) })
})
afterAll(() => shop.close())

const SALE = { amount: 1, buyer: 'Ada' }

async function ask(method: string, path: string, body?: unknown, headers = {}) {
  const init = { method, headers, ...(body !== undefined && { body: text(body) }) }
  const response = await fetch(shop.url + path, init as RequestInit)
  return {
    status: response.status,
    text: fixedPart(await response.text()),
    headers: response.headers,
  }
}

function text(body: unknown): unknown {
  return typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body)
}

const detail = (answer: { text: string }) => JSON.parse(answer.text).detail

test('a path that does not exist is 404, whatever the method or the body', async () => {
  for (const [method, path] of [
    ['GET', '/'],
    ['GET', '/v1/nothing'],
    ['POST', '/sales'],
    ['DELETE', '/sales/1/2'],
    ['GET', '/visits/'],
    ['GET', `/${'x'.repeat(5_000)}`],
    ['GET', '/%zz'],
    ['GET', '/%c3%28'],
    ['GET', '//visits'],
  ] as const) {
    const answer = await ask(method, path, method === 'POST' ? '{not json' : undefined)
    expect([path, answer.status, answer.text]).toEqual([path, 404, '{"detail":"Not Found"}'])
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
  }
})

const OTHERS = METHODS.filter((method) => !['POST', 'HEAD', 'CONNECT'].includes(method))
test.each([...OTHERS, 'CONNECT', 'BREW'])(
  '%s on a path of POST is 405, in JSON',
  async (method) => {
    const line = method === 'CONNECT' ? 'CONNECT x:80' : `${method} /sales/1`
    const asked = `${line} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`
    const { status, body, head, hung } = await sendRaw(shop.url, asked)
    expect([status, fixedPart(body), hung]).toEqual([405, '{"detail":"Method Not Allowed"}', false])
    expect(head).toMatch(/content-type: application\/json/i)
  },
)

test('a client that asks for a tunnel and resets, or says no more, does no harm', async () => {
  const { port } = new URL(shop.url)
  const tunnel = 'CONNECT x:80 HTTP/1.1\r\nHost: x\r\n\r\n'
  for (const rest of ['', 'more']) {
    for (const isReset of [true, false]) {
      await new Promise<void>((resolve) => {
        const socket = connect(Number(port), '127.0.0.1', () => socket.write(tunnel + rest))
        socket.on('error', () => {})
        socket.once('close', () => resolve())
        // Not read, so that the connection ends by the reset or by the server.
        if (isReset) socket.once('connect', () => setImmediate(() => socket.resetAndDestroy()))
        else socket.resume()
      })
    }
  }
  expect((await ask('GET', '/sales/1')).status).toBe(405)
})

test('a tunnel that a client asked for does not keep the server from closing', async () => {
  const own = await openShop()
  const { port } = new URL(own.url)
  const socket = connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true })
  socket.on('error', () => {})
  socket.write('CONNECT x:80 HTTP/1.1\r\nHost: x\r\n\r\nx')
  await new Promise((resolve) => socket.once('data', resolve))
  await own.close()
  socket.destroy()
})

test('a path that is written otherwise and still leads to a route is 405 too', async () => {
  expect((await ask('GET', '/%73ales/1')).status).toBe(405)
  const absolute = 'GET http://x/sales/1 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'
  expect((await sendRaw(shop.url, absolute)).status).toBe(405)
  expect((await ask('GET', `/${'%'.repeat(10_000)}`)).status).toBe(404)
})

test('a request without Host is refused in JSON, and HTTP/1.0 needs none', async () => {
  const { status, body } = await sendRaw(
    shop.url,
    'GET /broken HTTP/1.1\r\nConnection: close\r\n\r\n',
  )
  expect([status, fixedPart(body)]).toEqual([400, '{"detail":"Host header required"}'])
  const old = await sendRaw(shop.url, 'GET /nothing HTTP/1.0\r\n\r\n')
  expect([old.status, fixedPart(old.body)]).toEqual([404, '{"detail":"Not Found"}'])
})

test('no answer to a request with a key is stored on the way', async () => {
  for (const [path, status] of [
    ['/broken', 500],
    ['/nothing', 404],
    ['/sales/1', 405],
  ] as const) {
    const keyed = await ask('GET', path, undefined, { 'x-api-key': 'erg_x' })
    expect([path, keyed.status, keyed.headers.get('cache-control')]).toEqual([
      path,
      status,
      'no-store',
    ])
    expect((await ask('GET', path)).headers.get('cache-control')).toBeNull()
  }
})

test.each(['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])(
  'a path that exists, with %s, is 405 and says what is allowed',
  async (method) => {
    const answer = await ask(method, '/sales/1', method === 'GET' ? undefined : '{not json')
    expect([answer.status, answer.text]).toEqual([405, '{"detail":"Method Not Allowed"}'])
    expect(answer.headers.get('allow')).toBe('POST')
  },
)

test('404 and 405 come before the guard: the path says nothing about anybody', async () => {
  const guard: Guard = (_request, reply) => {
    reply.code(401).send('guarded')
    return undefined
  }
  const guarded = await openShop({ guard })
  expect((await fetch(`${guarded.url}/nothing`)).status).toBe(404)
  expect((await fetch(`${guarded.url}/visits`)).status).toBe(405)
  const malformed = { method: 'POST', body: '{not json' }
  expect((await fetch(`${guarded.url}/visits`, malformed)).status).toBe(401)
  await guarded.close()
})

test('HEAD answers like GET without a body', async () => {
  const answer = await ask('HEAD', '/broken')
  expect([answer.status, answer.text]).toEqual([500, ''])
})

test.each([
  ['one byte too many', 64 * 1024 + 1],
  ['a megabyte', 1024 * 1024],
])('a body of %s is 413', async (_name, size) => {
  const body = `{"words":"${'x'.repeat(size - 12)}"}`
  const answer = await ask('POST', '/visits', body)
  expect([answer.status, typeof detail(answer)]).toEqual([413, 'string'])
  const chunked = `${(size + 1).toString(16)}\r\n${body} \r\n0\r\n\r\n`
  const raw = await sendRaw(
    shop.url,
    `POST /visits HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n${chunked}`,
  )
  expect([raw.status, raw.hung]).toEqual([413, false])
})

test('a body of exactly 64 KiB is read', async () => {
  const body = `{"words":"${'x'.repeat(64 * 1024 - 12)}"}`
  expect(body.length).toBe(64 * 1024)
  expect((await ask('POST', '/visits', body)).status).toBe(200)
})

test.each([
  ['cut off', '{"words":'],
  ['trailing text', '{} {}'],
  ['a comment', '{/* */}'],
  ['single quotes', "{'words':'x'}"],
  ['NaN', '{"words":NaN}'],
  ['a raw control character', '{"words":"\n"}'],
  ['a raw NUL', '{"words":"\0"}'],
  ['broken UTF-8', new Uint8Array([0x22, 0xff, 0xfe, 0x22])],
  ['UTF-16', new Uint8Array(Buffer.from('{"words":"x"}', 'utf16le'))],
  ['gzip', new Uint8Array([0x1f, 0x8b, 0x08, 0x00, 0x00])],
])('a body with %s is 422 json_invalid', async (_name, body) => {
  const answer = await ask('POST', '/visits', body, { 'content-type': 'application/json' })
  expect([answer.status, detail(answer)]).toEqual([
    422,
    [{ loc: ['body'], msg: 'The body is not valid JSON in UTF-8', type: 'json_invalid' }],
  ])
})

test.each([
  'application/json',
  'text/plain; charset=utf-7',
  'application/x-www-form-urlencoded',
  'application/octet-stream',
  'nonsense',
])('JSON is read whatever the content type says: %s', async (type) => {
  const answer = await ask('POST', '/visits', '{"words":"hello"}', { 'content-type': type })
  expect(answer.text).toBe('{"words":"hello"}')
  const empty = await ask('POST', '/visits', '', { 'content-type': type })
  expect(empty.text).toBe('{"words":"none"}')
})

test('an action without a body or content type is accepted', async () => {
  const raw = await sendRaw(
    shop.url,
    'POST /visits HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
  )
  expect([raw.status, raw.body]).toEqual([200, '{"words":"none"}'])
})

test('a bug of ours is 500 without a word about it, and the log has the whole story', async () => {
  const answer = await ask('GET', '/broken')
  expect([answer.status, answer.text]).toEqual([500, '{"detail":"Internal Server Error"}'])
  const entry = logged
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
    .find((line) => line.request === answer.headers.get('x-request-id'))
  expect(entry).toMatchObject({ msg: 'request_failed', method: 'GET', route: '/broken' })
  expect(entry.error.stack).toContain('canary')
})

test('X-Request-Id of the caller comes back; another is made where it is missing or unfit', async () => {
  const given = await ask('POST', '/visits', {}, { 'x-request-id': 'order-77_a.b' })
  expect(given.headers.get('x-request-id')).toBe('order-77_a.b')
  for (const unfit of ['', 'has space', 'x'.repeat(65), 'a"b', '<script>']) {
    const made = await ask('POST', '/visits', {}, { 'x-request-id': unfit })
    expect(made.headers.get('x-request-id')).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/)
  }
  expect((await ask('GET', '/nothing')).headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
})

test('a refusal has the status and shape of the catalogue, amounts exact', async () => {
  const none = await ask('POST', '/sales/none', SALE)
  expect([none.status, none.text]).toEqual([404, '{"detail":"Order not found"}'])
  const poor = await ask('POST', '/sales/poor', SALE)
  expect(poor.text).toBe(
    '{"detail":{"error":"insufficient_balance","current_balance":1152921504606846976,"required_amount":2305843009213693952}}',
  )
})

test('an amount above 2^53 is exact on the wire', async () => {
  expect((await ask('POST', '/sales/1', SALE)).text).toContain('"total":9007199254740993}')
})

test.each([
  ['not HTTP at all', 'hello\r\n\r\n', 400],
  ['a broken request line', 'GET\r\n\r\n', 400],
  ['another protocol', 'GET / HTTP/3.7\r\nHost: x\r\n\r\n', 400],
  ['a header without colon', 'GET /visits HTTP/1.1\r\nHost: x\r\nnonsense\r\n\r\n', 400],
  ['a NUL in a header', 'GET /visits HTTP/1.1\r\nHost: x\r\nX-A: a\0b\r\n\r\n', 400],
  ['no host', 'GET /visits HTTP/1.1\r\n\r\n', 400],
  ['a negative length', 'POST /visits HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n', 400],
  [
    'two lengths',
    'POST /visits HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}x',
    400,
  ],
  [
    'length and chunks',
    'POST /visits HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}',
    400,
  ],
  [
    'a broken chunk',
    'POST /visits HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}',
    400,
  ],
  [
    'headers too large',
    `GET /visits HTTP/1.1\r\nHost: x\r\nX-A: ${'a'.repeat(20_000)}\r\n\r\n`,
    431,
  ],
  [
    'an unknown expectation',
    'GET /broken HTTP/1.1\r\nHost: x\r\nConnection: close\r\nExpect: magic\r\n\r\n',
    417,
  ],
  ['a method nobody knows', 'FETCH /visits HTTP/1.1\r\nHost: x\r\n\r\n', 405],
  ['what is not HTTP', '\x16\x03\x01 hello\r\n\r\n', 400],
])('%s is answered and the connection closed', async (_name, bytes, status) => {
  const answer = await sendRaw(shop.url, bytes)
  expect(answer).toMatchObject({ status, hung: false })
  // Node itself answers one of these, with a status and no body.
  if (answer.body) expect(typeof JSON.parse(answer.body).detail).toBe('string')
})

test('a client that sends half a body and leaves does no harm', async () => {
  const half = 'POST /visits HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"words"'
  expect((await sendRaw(shop.url, half, { abandoned: true })).hung).toBe(false)
  expect((await ask('POST', '/visits', {})).status).toBe(200)
})

test('a connection of ours that breaks while the body is on its way is not the fault of the body', async () => {
  const guard: Guard = () => {
    throw Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })
  }
  const other = await openShop({ guard })
  const head =
    'POST /visits HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 100\r\n\r\n{"w'
  const { status } = await sendRaw(other.url, head)
  await other.close()
  expect(status).toBe(500)
})

test('closing lets the request under way finish and then serves nobody', async () => {
  const entered = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  const draining = await openShop({
    async guard() {
      entered.resolve()
      await gate.promise
      return ''
    },
  })
  const answer = new Promise<{ status: number | undefined; connection: string | undefined }>(
    (resolve, reject) => {
      const call = httpRequest(`${draining.url}/visits`, { method: 'POST' }, (response) => {
        response.resume()
        const { connection } = response.headers
        response.on('end', () => resolve({ status: response.statusCode, connection }))
      })
      call.on('error', reject)
      call.end()
    },
  )
  await entered.promise
  const closing = draining.close()
  gate.resolve()
  expect((await answer).status).toBe(200)
  await closing
  await expect(fetch(`${draining.url}/visits`)).rejects.toThrow()
})
