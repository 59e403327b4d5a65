import { createHmac } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Fastify from 'fastify'
import { expect, test } from 'vitest'
import {
  expressWebhook,
  fastifyWebhook,
  fetchWebhook,
  honoWebhook,
  signWebhook,
  verifyWebhook,
  type WebhookEvent,
} from './index.ts'

const secret = 'whsec_old'
const event = { type: 'notification.test', data: { message: 'héllo' } }
const now = Date.parse('2026-11-15T12:00:00.500Z')

test('the signature is HMAC-SHA256 over timestamp, a dot and the raw body, keyed with the secret', async () => {
  const { headers, body } = await signWebhook({ secret, event, now })
  const hex = createHmac('sha256', secret).update(`1794744000.${body}`).digest('hex')
  expect(headers).toMatchObject({
    'x-service-event': 'notification.test',
    'x-service-timestamp': '1794744000',
    'x-service-signature': `v1=${hex}`,
  })
  expect(headers).not.toHaveProperty('x-service-signature-next')
})

test('a signed delivery gives its event, amounts exact', async () => {
  const data = { amount_sun: 2n ** 53n - 1n }
  const signed = await signWebhook({ secret, event: { type: 'balance.credited', data }, now })
  const read = await verifyWebhook({ ...signed, secret, now })
  expect(read).toMatchObject({ type: 'balance.credited', data, audience: 'customer' })
})

test('bytes, text and a Headers object verify alike', async () => {
  const { body, headers } = await signWebhook({ secret, event, now })
  const bytes = new TextEncoder().encode(body)
  for (const given of [body, bytes, bytes.buffer as ArrayBuffer]) {
    expect(await verifyWebhook({ body: given, headers, secret, now })).toMatchObject(event)
  }
  const upper = Object.fromEntries(Object.entries(headers).map(([n, v]) => [n.toUpperCase(), v]))
  await verifyWebhook({ body, headers: upper, secret, now })
  await verifyWebhook({ body, headers: new Headers(headers), secret, now })
})

test('any change is refused, and says which kind', async () => {
  const { body, headers } = await signWebhook({ secret, event, now })
  const refused = (change: Partial<Parameters<typeof verifyWebhook>[0]>) =>
    expect(verifyWebhook({ body, headers, secret, now, ...change })).rejects
  await refused({ body: body.replace('héllo', 'hello') }).toMatchObject({ problem: 'signature' })
  await refused({ secret: 'whsec_other' }).toMatchObject({ problem: 'signature' })
  await refused({ secret: [] }).toMatchObject({ problem: 'signature' })
  const signature = headers['x-service-signature']!
  for (const wrong of ['v1=', signature.slice(3), signature.toUpperCase(), `${signature}0`]) {
    const changed = { ...headers, 'x-service-signature': wrong }
    await refused({ headers: changed }).toMatchObject({ problem: 'signature' })
  }
  await refused({ headers: {} }).toMatchObject({ problem: 'header_missing' })
  const later = { ...headers, 'x-service-timestamp': '1794744001' }
  await refused({ headers: later }).toMatchObject({ problem: 'signature' })
})

test('a timestamp counts for 300 seconds, in both directions', async () => {
  const signed = await signWebhook({ secret, event, now })
  const at = (seconds: number) => ({ ...signed, secret, now: 1_794_744_000_000 + seconds * 1_000 })
  for (const seconds of [-300, 0, 300]) await verifyWebhook(at(seconds))
  for (const seconds of [-301, 301]) {
    await expect(verifyWebhook(at(seconds))).rejects.toMatchObject({ problem: 'stale' })
  }
  await verifyWebhook({ ...at(900), toleranceSeconds: 900 })
  const nonsense = { ...signed.headers, 'x-service-timestamp': 'NaN' }
  await expect(verifyWebhook({ ...signed, headers: nonsense, secret, now })).rejects.toMatchObject({
    problem: 'stale',
  })
})

test('during a rotation the old secret, the new one and both verify', async () => {
  const signed = await signWebhook({ secret, nextSecret: 'whsec_new', event, now })
  for (const held of [secret, 'whsec_new', ['whsec_new', secret], ['whsec_none', 'whsec_new']]) {
    expect(await verifyWebhook({ ...signed, secret: held, now })).toMatchObject(event)
  }
})

/** Sends three deliveries to a receiver: a good one, a forged one, one it cannot handle. */
async function tryReceiver(url: string, events: WebhookEvent[]) {
  const good = await signWebhook({ secret, event })
  const bad = await signWebhook({ secret, event: { type: 'bad', data: {} } })
  const post = async ({ body, headers }: { body: string; headers: Record<string, string> }) =>
    (await fetch(url, { method: 'POST', body, headers })).status
  expect(await post(good)).toBe(200)
  expect(await post({ ...good, body: `${good.body} ` })).toBe(400)
  expect(await post(bad)).toBe(500)
  expect(events).toMatchObject([event])
}

function handler(events: WebhookEvent[]) {
  return {
    secret,
    onEvent(event: WebhookEvent) {
      if ((event.type as string) === 'bad') throw new Error('no')
      events.push(event)
    },
  }
}

test('Fastify: verifies, and leaves the bodies of other routes alone', async () => {
  const events: WebhookEvent[] = []
  const app = Fastify()
  app.register(fastifyWebhook('/hook', handler(events)))
  app.post('/other', async ({ body }) => body)
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  await tryReceiver(`${url}/hook`, events)
  const other = await app.inject({ method: 'POST', url: '/other', payload: { a: 1 } })
  expect(other.json()).toEqual({ a: 1 })
  await app.close()
})

/** What Express passes to a middleware: Node's own request, and a response with status().send(). */
async function openExpressLike(run: ReturnType<typeof expressWebhook>, body?: unknown) {
  const server = createServer((request, response) => {
    const status = (code: number) => ({
      send: (text: string) => response.writeHead(code).end(text),
    })
    const next = (error: unknown) => response.writeHead(599).end(String(error))
    void run(Object.assign(request, { body }), { status }, next)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

test('Express: verifies what was not parsed, and says so when it was', async () => {
  const events: WebhookEvent[] = []
  const { server, url } = await openExpressLike(expressWebhook(handler(events)))
  await tryReceiver(url, events)
  server.close()
  const parsed = await openExpressLike(expressWebhook(handler([])), { parsed: true })
  const answer = await fetch(parsed.url, { method: 'POST', body: '{}' })
  expect([answer.status, await answer.text()]).toEqual([
    599,
    expect.stringContaining('express.json'),
  ])
  parsed.server.close()
})

test('Fetch and Hono: a Request in, a Response out', async () => {
  for (const adapt of [
    (events: WebhookEvent[]) => fetchWebhook(handler(events)),
    (events: WebhookEvent[]) => (raw: Request) => honoWebhook(handler(events))({ req: { raw } }),
  ]) {
    const events: WebhookEvent[] = []
    const run = adapt(events)
    const { body, headers } = await signWebhook({ secret, event })
    const ask = (text: string) =>
      run(new Request('http://x/', { method: 'POST', body: text, headers }))
    expect((await ask(body)).status).toBe(200)
    expect((await ask(`${body} `)).status).toBe(400)
    expect(events).toMatchObject([event])
  }
})
