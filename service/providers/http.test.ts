import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { systemClock } from '../kernel/index.ts'
import { createHttp } from './http.ts'

const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

async function serving(answer: RequestListener): Promise<string> {
  const server = createServer(answer)
  closing.push(() => server.close().closeAllConnections())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const key = 'a-key-nobody-should-see'
const question = { method: 'GET', path: '/v1/order?id=1', headers: { 'x-key': key } } as const

function ask(url: string, more: { timeoutMs?: number; headers?: Record<string, string> } = {}) {
  const { timeoutMs = 5_000, headers = question.headers } = more
  const http = createHttp({ url, key, secret: '' }, { clock: systemClock(), timeoutMs })
  return http.ask({ ...question, headers })
}

test('an answer is received with its status, and integers stay exact', async () => {
  const url = await serving((request, response) => {
    response.statusCode = 400
    response.end(`{"path":"${request.url}","sun":9007199254740993}`)
  })
  const json = { path: '/base/v1/order?id=1', sun: 9007199254740993n }
  expect(await ask(`${url}/base/`)).toEqual({ received: true, status: 400, json })
})

test.each([
  ['a server error', 500, '{"code":0}'],
  ['a gateway that gave up', 504, '<html>'],
  ['a request timeout', 408, '{"code":1}'],
  ['a page instead of JSON', 200, '<html>maintenance</html>'],
  ['a bad request that is no JSON', 400, 'Bad Request'],
  ['half an answer', 200, '{"code":0,"data":{"id":'],
  ['nothing', 200, ''],
])('%s is not received: the request may have been carried out', async (_what, status, body) => {
  const url = await serving((_request, response) => {
    response.statusCode = status
    response.end(body)
  })
  expect(await ask(url)).toMatchObject({ received: false })
})

test('a 503 is not received, but what came with it can be read', async () => {
  const answers = ['{"detail":{"error":"x"}}', '<html>', 'x'.repeat(1024 * 1024 + 1)]
  const url = await serving((_request, response) => {
    response.statusCode = 503
    response.end(answers.shift())
  })
  const silence = { received: false, reason: 'status 503' }
  expect(await ask(url)).toEqual({ ...silence, response: { detail: { error: 'x' } } })
  expect(await ask(url)).toEqual(silence)
  expect(await ask(url)).toEqual(silence)
})

test.each([401, 403, 429])('%i is received whatever its body is', async (status) => {
  const url = await serving((_request, response) => {
    response.statusCode = status
    response.end('no')
  })
  expect(await ask(url)).toEqual({ received: true, status, json: null })
})

test('a redirect is not followed: the key stays where it belongs', async () => {
  const asked: string[] = []
  const other = await serving((request, response) => {
    asked.push(request.url ?? '')
    response.end('{"code":0}')
  })
  const url = await serving((_request, response) => {
    response.writeHead(307, { location: `${other}/elsewhere` }).end()
  })
  expect(await ask(url)).toEqual({ received: false, reason: 'status 307' })
  expect(asked).toEqual([])
})

test('silence ends at the timeout, also in the middle of an answer', async () => {
  const silent = await serving(() => {})
  const stuck = await serving((_request, response) => void response.write('{"code":'))
  for (const url of [silent, stuck]) {
    expect(await ask(url, { timeoutMs: 100 })).toEqual({
      received: false,
      reason: 'no answer in 100 ms',
    })
  }
})

test('an endless answer is cut off', async () => {
  const url = await serving((_request, response) => {
    const more = () => {
      while (response.write(Buffer.alloc(64 * 1024, ' ')));
    }
    response.on('drain', more)
    more()
  })
  expect(await ask(url)).toEqual({ received: false, reason: 'answer above 1048576 bytes' })
})

test('a closed port and a broken connection are reported by their code', async () => {
  const url = await serving((request) => void request.socket.destroy())
  expect(await ask(url)).toMatchObject({
    received: false,
    reason: expect.stringMatching(/^no answer/),
  })
  for (const close of closing.splice(0)) close()
  expect(await ask(url)).toEqual({ received: false, reason: 'no answer: ECONNREFUSED' })
})

test('no reason repeats a key, even one that cannot be sent', async () => {
  const url = await serving((_request, response) => void response.end('{}'))
  const answer = await ask(url, { headers: { 'x-key': `${key}\nx` } })
  expect(answer).toMatchObject({ received: false })
  expect(JSON.stringify(answer)).not.toContain(key)
})
