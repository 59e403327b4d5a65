// Proves: sandbox-api, webhooks.
import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestApp, type TestAccount, type TestApp } from '../testing/app.ts'
import { until } from '../testing/until.ts'

// The sandbox's own receiver, with which a client tries its integration without a server.

let app: TestApp
let client: TestAccount
beforeAll(async () => {
  app = await openTestApp()
  client = await app.newAccount({ deposit_trx: '2' })
  app.devnet.chain.mine()
  await until('the credit', async () => {
    const { body } = await app.call('GET', '/v1/account', { key: client.api_key })
    return body.balance_trx === '2'
  })
})
afterAll(() => app.close())

const sandbox = (method: string, path: string, body?: unknown) =>
  app.call(method, `/sandbox/webhook-sink${path}`, { body })
const call = (method: string, path: string, body?: unknown) =>
  app.call(method, `/v1${path}`, { key: client.api_key, body })

test('its URL is accepted, and what arrives can be read, byte for byte', async () => {
  const { status, body: sink } = await sandbox('POST', '')
  expect([status, Object.keys(sink).sort()]).toEqual([200, ['id', 'url']])
  expect((await sandbox('GET', `/${sink.id}`)).body).toEqual({ deliveries: [] })
  const made = await call('POST', '/webhooks', { name: 'sink', url: sink.url })
  expect(made.status).toBe(201)
  const sent = await call('POST', `/webhooks/${made.body.id}/test`)
  expect(sent.status).toBe(200)
  const { deliveries } = (await sandbox('GET', `/${sink.id}`)).body
  expect(deliveries).toHaveLength(1)
  const [{ headers, raw_body, received_at }] = deliveries
  expect(received_at).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
  const signature = createHmac('sha256', made.body.signing_secret)
    .update(`${headers['x-service-timestamp']}.${raw_body}`)
    .digest('hex')
  expect(headers['x-service-signature']).toBe(`v1=${signature}`)
  expect(headers['x-service-delivery']).toBe(sent.body.delivery_id)
})

test('it answers 500 or not at all when told to', async () => {
  const { body: sink } = await sandbox('POST', '')
  const { id } = (await call('POST', '/webhooks', { name: 'sink', url: sink.url })).body
  expect((await sandbox('POST', `/${sink.id}`, { answer: 500 })).body).toEqual({
    id: sink.id,
    answer: 500,
  })
  expect((await call('POST', `/webhooks/${id}/test`)).status).toBe(502)
  await sandbox('POST', `/${sink.id}`, { answer: 'hang' })
  expect((await call('POST', `/webhooks/${id}/test`)).status).toBe(502)
  const [hung, failed] = (await call('GET', `/webhooks/${id}/deliveries`)).body.deliveries
  expect([hung.error, failed.response_status]).toEqual(['timeout', 500])
  await sandbox('POST', `/${sink.id}`, { answer: 200 })
  expect((await call('POST', `/webhooks/${id}/test`)).status).toBe(200)
  expect((await sandbox('POST', `/${sink.id}`, { answer: 201 })).body.detail[0].type).toBe('enum')
})

test('404 for a sink that does not exist', async () => {
  for (const id of ['01a1dd1e-0000-7000-8000-000000000000', 'nonsense']) {
    expect((await sandbox('GET', `/${id}`)).body.detail.error).toBe('not_found')
    expect((await sandbox('POST', `/${id}`, { answer: 200 })).status).toBe(404)
  }
})

test('every other URL near it is judged as in production', async () => {
  const { url } = (await sandbox('POST', '')).body
  const { origin } = new URL(url)
  for (const near of [
    `${origin}/wallet/getnowblock`,
    `${url}/../../control/reset`,
    `${url}?x`,
    `${url}#x`,
    `${origin}/receivers/`,
    url.replace('127.0.0.1', 'localhost'),
    url.replace('http://', 'http://user@'),
  ]) {
    const made = await call('POST', '/webhooks', { name: 'near', url: near })
    expect([near, made.status]).toEqual([near, 400])
  }
})

test('in production its URL is refused like any other', async () => {
  const { url } = (await sandbox('POST', '')).body
  const shared = { database: app.database, devnet: app.devnet }
  const production = await openTestApp({ ...shared, sandbox: false, role: 'api' })
  const body = { name: 'sink', url }
  const refused = await production.call('POST', '/v1/webhooks', { key: client.api_key, body })
  expect(refused.body.detail.error).toBe('validation_error')
  await production.close()
})
