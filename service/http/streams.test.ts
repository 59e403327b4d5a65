import { EventStream, handle } from '@ergon/contract'
import { Type } from 'typebox'
import { afterEach, expect, test } from 'vitest'
import { openStream } from '../../proof/testing/eventStream.ts'
import { testRuntime } from '../../proof/testing/runtime.ts'
import { until } from '../../proof/testing/until.ts'
import { silentLog } from '../kernel/index.ts'
import { publicGuard } from './guards.ts'
import { mount } from './mount.ts'
import { createServer } from './server.ts'
import { createStreams } from './streams.ts'

type Message = { amount: number }
const opened: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const server of opened.splice(0)) await server.close()
})

/** A server with one route, whose subscribers this test can reach. */
async function openServer(max?: { all: number; public: number }) {
  const runtime = testRuntime()
  const log = silentLog
  const server = createServer({ runtime, log, trustedProxies: [] })
  const streams = createStreams(server, {
    clock: runtime.clock,
    log,
    exemptLoopback: true,
    ...(max && { max }),
  })
  const followers = new Set<(message: { amount: bigint }) => void>()
  const reply = {
    status: 200,
    stream: true,
    description: '',
    schema: Type.Object({ amount: Type.Unsafe<bigint>({ type: 'integer' }) }),
  } as const
  const route = {
    name: 'getNews',
    method: 'GET',
    path: '/news',
    auth: 'public',
    group: '',
    summary: '',
    reply,
    refusals: [],
  } as const
  const news = handle(
    route,
    () =>
      new EventStream<{ amount: bigint }>((send) => {
        followers.add(send)
        return () => followers.delete(send)
      }),
  )
  const guard = publicGuard({ clock: runtime.clock, exemptLoopback: true })
  mount(server, { prefix: '', routes: [news], guard, streams })
  server.get('/news/own', (request, reply) =>
    streams.open(request, reply, new EventStream(() => () => undefined), { holder: 'an account' }),
  )
  const base = await server.listen({ host: '127.0.0.1', port: 0 })
  opened.push(server)
  return { server, runtime, streams, followers, url: `${base}/news` }
}

test('messages arrive as they are sent, exact to the last digit, until the client leaves', async () => {
  const { followers, url } = await openServer()
  const stream = await openStream<Message>(url)
  for (const send of followers) send({ amount: 9_007_199_254_740_991n })
  await until('the message', async () => stream.messages.length === 1)
  expect(stream.messages).toEqual([{ amount: 9_007_199_254_740_991 }])
  stream.close()
  await until('nobody follows', async () => followers.size === 0)
})

test('a quiet stream is written to, and ends after ten minutes', async () => {
  const { runtime, streams, followers, url } = await openServer()
  const stream = await openStream<Message>(url)
  const before = stream.beats
  await streams.loop.runOnce()
  await until('a beat', async () => stream.beats > before)
  runtime.pass(10 * 60_000)
  await streams.loop.runOnce()
  await stream.ended
  await until('nobody follows', async () => followers.size === 0)
})

test('a client that does not read is cut off instead of filling the memory', async () => {
  const { followers, url } = await openServer()
  const answer = await fetch(url)
  const [send] = followers
  await until('cut off', async () => {
    for (let message = 0; message < 20_000; message++) send!({ amount: 1n })
    return followers.size === 0
  })
  await expect(answer.text()).rejects.toThrow()
})

test('a server that closes ends its streams and opens no new ones', async () => {
  const { server, url } = await openServer()
  const streams = await Promise.all(Array.from({ length: 30 }, () => openStream<Message>(url)))
  const began = performance.now()
  await server.close()
  await Promise.all(streams.map(({ ended }) => ended))
  expect(performance.now() - began).toBeLessThan(3_000)
  await expect(fetch(url)).rejects.toThrow()
})

test('public streams leave room for those of accounts', async () => {
  const { url } = await openServer({ all: 3, public: 2 })
  const first = await openStream<Message>(url)
  await openStream<Message>(url)
  const full = await fetch(url)
  expect([full.status, full.headers.get('retry-after')]).toEqual([503, '5'])
  expect((await openStream<Message>(`${url}/own`)).status).toBe(200)
  first.close()
  await until('a place', async () => (await fetch(url, { method: 'HEAD' })).status === 200)
})
