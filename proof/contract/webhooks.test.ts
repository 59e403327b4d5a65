// Proves: webhooks.
import { createHmac } from 'node:crypto'
import { toBase58 } from '@ergon/tron'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Inspected } from '../../service/webhooks/index.ts'
import { openTestApp, TEST_KEY, type TestAccount, type TestApp } from '../testing/app.ts'
import { answering, openReceiver, type Receiver, testNetwork } from '../testing/receiver.ts'
import { until } from '../testing/until.ts'

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const NOT_HTTPS =
  'url must start with https://. For a server on your machine: npx ergon listen URL.'
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/

let app: TestApp
let receiver: Receiver
let client: TestAccount
const network = testNetwork({
  'private.receiver.test': ['10.0.0.1'],
  'mixed.receiver.test': ['93.184.216.34', '127.0.0.1'],
})

beforeAll(async () => {
  receiver = await openReceiver()
  app = await openTestApp({ webhooks: { secretsKey: TEST_KEY, network } })
  client = await depositor(1_000_001)
})
afterAll(async () => {
  await app.close()
  await receiver.close()
})

async function depositor(amountSun: number): Promise<TestAccount> {
  const account = await app.newAccount()
  const from = toBase58(app.devnet.chain.network.funded[0]!.address)
  const body = { from, to: account.deposit_address, amount_sun: amountSun }
  await app.call('POST', '/sandbox/chain/transfer', { body })
  app.devnet.chain.mine()
  await until('the credit', async () => {
    const { body } = await app.call('GET', '/v1/deposits', { key: account.api_key })
    return body.deposits[0]?.credited_at !== null && body.deposits.length > 0
  })
  return account
}

const call = (method: string, path: string, body?: unknown, who = client) =>
  app.call(method, `/v1${path}`, { key: who.api_key, body })
const create = (more: Record<string, unknown> = {}, who = client) =>
  call('POST', '/webhooks', { name: 'mine', url: receiver.url('/hook'), ...more }, who)

const DEFAULTS = {
  'order.status_changed': true,
  'order.energy_reclaimed': true,
  'balance.credited': true,
  'balance.changed': false,
  'autoenergy.delegated': true,
  'autoenergy.closed': true,
  'autoenergy.activated': false,
  'autoenergy.budget_near': true,
  'autoenergy.budget_reached': true,
  'balance.low': false,
  'account.daily_summary': false,
  'agent.sale': true,
  'agent.payment_skipped': true,
  'agent.config_at_risk': false,
}

test('201 the record, the defaults of the catalogue, and the secret this once', async () => {
  const { status, body } = await create()
  expect(status).toBe(201)
  expect(body).toEqual({
    id: expect.stringMatching(UUID),
    name: 'mine',
    url: receiver.url('/hook'),
    events: DEFAULTS,
    status: 'active',
    disabled_reason: null,
    created_at: expect.stringMatching(TIME),
    last_success_at: null,
    last_failure_at: null,
    signing_secret: expect.stringMatching(/^whsec_.{43}$/),
  })
  const listed = await call('GET', '/webhooks')
  const { signing_secret, ...record } = body
  expect(listed.body.webhooks).toContainEqual(record)
  expect(listed.text).not.toContain(signing_secret)
  expect(Object.keys(listed.body)).toEqual(['webhooks'])
})

test('201 events are given over the defaults; newest first', async () => {
  const events = { 'balance.changed': true, 'agent.sale': false }
  const { body } = await create({ name: 'newer', events })
  expect(body.events).toEqual({ ...DEFAULTS, ...events })
  expect((await call('GET', '/webhooks')).body.webhooks[0].name).toBe('newer')
})

test('403 deposit_required with exactly 1 TRX of deposits, and with none', async () => {
  const poor = await depositor(1_000_000)
  const refused = await create({}, poor)
  expect([refused.status, refused.body]).toEqual([
    403,
    {
      detail: {
        error: 'deposit_required',
        message: expect.any(String),
        required_sun: 1_000_000,
        deposited_sun: 1_000_000,
      },
    },
  ])
  expect((await create({}, await app.newAccount())).body.detail.deposited_sun).toBe(0)
})

test('deposits count together, also after they were spent', async () => {
  const who = await depositor(600_000)
  const from = toBase58(app.devnet.chain.network.funded[0]!.address)
  const body = { from, to: who.deposit_address, amount_sun: 400_001 }
  await app.call('POST', '/sandbox/chain/transfer', { body })
  app.devnet.chain.mine()
  await until('the credit', async () => {
    const { body } = await app.call('GET', '/v1/account', { key: who.api_key })
    return body.balance_trx === '1.000001'
  })
  await app.database.sql('update ledger.account set balance_sun = 0 where id = $1', [
    who.account_id,
  ])
  expect((await create({}, who)).status).toBe(201)
})

test('403 deposit_required when the deposit waits for its block, or is no longer on the chain', async () => {
  const waiting = await app.newAccount()
  const from = toBase58(app.devnet.chain.network.funded[1]!.address)
  const send = async (to: string, amount_sun: number) => {
    const body = { from, to, amount_sun }
    return (await app.call('POST', '/sandbox/chain/transfer', { body })).body.txid as string
  }
  const statusOf = async (who: TestAccount) =>
    (await call('GET', '/deposits', undefined, who)).body.deposits[0]?.status
  await send(waiting.deposit_address, 10_000_000_001)
  app.devnet.chain.mine()
  await until('pending', async () => (await statusOf(waiting)) === 'pending')
  expect((await create({}, waiting)).body.detail).toMatchObject({
    error: 'deposit_required',
    deposited_sun: 0,
  })
  const dropped = await app.newAccount()
  const txid = await send(dropped.deposit_address, 5_000_000)
  app.devnet.chain.mine()
  await until('credited', async () => (await statusOf(dropped)) === 'confirmed')
  app.devnet.chain.reorg(1, new Set([txid]))
  await until('withheld', async () => (await statusOf(dropped)) === 'pending')
  expect((await create({}, dropped)).body.detail.deposited_sun).toBe(0)
})

test.each([
  ['http://hooks.receiver.test/', NOT_HTTPS],
  ['nonsense', expect.stringContaining('not a URL')],
  ['https://user@hooks.receiver.test/', expect.stringContaining('user name')],
  ['https://hooks.receiver.test:5432/', expect.stringContaining('port 5432')],
])('400 validation_error for %s', async (url, message) => {
  const { status, body } = await create({ url })
  expect([status, body]).toEqual([400, { detail: { error: 'validation_error', message } }])
})

test.each([
  ['https://127.0.0.1/', 'Webhook URL must use a public host'],
  ['https://localhost/', 'Webhook URL must use a public host'],
  ['https://private.receiver.test/', 'Webhook URL must use a public host'],
  ['https://mixed.receiver.test/', 'Webhook URL must use a public host'],
  ['https://', 'Webhook URL must include a host'],
  ['https:///x', 'Webhook URL must include a host'],
  ['https://nowhere.example/', 'Webhook host could not be resolved'],
])('400 for %s is the sentence: %s', async (url, detail) => {
  const { status, body } = await create({ url })
  expect([status, body]).toEqual([400, { detail }])
})

test('400 webhook_limit for the eleventh, also when they come at once', async () => {
  const who = await depositor(5_000_000)
  const answers = await Promise.all(Array.from({ length: 16 }, () => create({}, who)))
  const statuses = answers.map(({ status }) => status).sort()
  expect(statuses).toEqual([...Array(10).fill(201), ...Array(6).fill(400)])
  const refused = answers.find(({ status }) => status === 400)!
  const detail = { error: 'webhook_limit', message: expect.any(String) }
  expect(refused.body).toEqual({ detail })
  const [newest] = (await call('GET', '/webhooks', undefined, who)).body.webhooks
  expect((await call('DELETE', `/webhooks/${newest.id}`, undefined, who)).status).toBe(204)
  expect((await create({}, who)).status).toBe(201)
})

test('422 unknown event type, wrong types, missing fields', async () => {
  const unknown = await create({ events: { 'order.eaten': true } })
  const fault = { msg: expect.any(String), type: 'value_error' }
  expect([unknown.status, unknown.body]).toEqual([
    422,
    { detail: [{ loc: ['body', 'events', 'order.eaten'], ...fault }] },
  ])
  expect((await create({ events: { 'notification.test': true } })).status).toBe(422)
  const missing = await call('POST', '/webhooks', {})
  expect(missing.body.detail.map((d: { loc: string[] }) => d.loc)).toEqual([
    ['body', 'name'],
    ['body', 'url'],
  ])
  const types = [
    { name: 7 },
    { name: '' },
    { url: 7 },
    { events: [] },
    { events: { 'agent.sale': 1 } },
  ]
  for (const more of types) expect((await create(more)).status).toBe(422)
  expect((await create({ name: 'n'.repeat(81) })).status).toBe(422)
})

test('PATCH changes name, url, events and status, and nothing that is not named', async () => {
  const { id, signing_secret: _, ...made } = (await create({ name: 'before' }, await rich())).body
  const patch = (body: unknown) => call('PATCH', `/webhooks/${id}`, body, owner)
  const owner = riches.at(-1)!
  expect((await patch({ name: 'after' })).body).toEqual({ ...made, id, name: 'after' })
  const url = receiver.url('/other')
  expect((await patch({ url })).body.url).toBe(url)
  const events = { 'balance.low': true }
  expect((await patch({ events })).body.events).toEqual({ ...DEFAULTS, ...events })
  const off = (await patch({ status: 'disabled' })).body
  expect([off.status, off.disabled_reason]).toEqual(['disabled', expect.any(String)])
  const on = (await patch({ status: 'active' })).body
  expect([on.status, on.disabled_reason]).toEqual(['active', null])
  expect((await patch({ url: 'https://10.0.0.1/' })).text).toBe(
    '{"detail":"Webhook URL must use a public host"}',
  )
  expect((await patch({ status: 'asleep' })).body.detail[0].type).toBe('enum')
  expect((await patch({ events: { x: true } })).status).toBe(422)
  expect((await patch({})).status).toBe(200)
})

test('failures are forgotten with another url or status, and only then', async () => {
  const { id } = (await create({}, await rich())).body
  const owner = riches.at(-1)!
  const failures = async (body: unknown) => {
    const since = "failures = 7, failing_since = '2026-01-01'"
    await app.database.sql(`update webhooks.endpoint set ${since} where id = $1`, [id])
    expect((await call('PATCH', `/webhooks/${id}`, body, owner)).status).toBe(200)
    const [row] = await app.database.sql<{ failures: number; failing: boolean }>(
      'select failures, failing_since is not null as failing from webhooks.endpoint where id = $1',
      [id],
    )
    return [Number(row!.failures), row!.failing]
  }
  expect(await failures({ name: 'renamed' })).toEqual([7, true])
  expect(await failures({ url: receiver.url('/elsewhere') })).toEqual([0, false])
  expect(await failures({ status: 'disabled' })).toEqual([0, false])
})

const riches: TestAccount[] = []
async function rich(): Promise<TestAccount> {
  riches.push(await depositor(3_000_000))
  return riches.at(-1)!
}

test('DELETE is 204 without a body, then 404', async () => {
  const { id } = (await create({}, await rich())).body
  const owner = riches.at(-1)!
  const gone = await call('DELETE', `/webhooks/${id}`, undefined, owner)
  expect([gone.status, gone.text]).toEqual([204, ''])
  const again = await call('DELETE', `/webhooks/${id}`, undefined, owner)
  const detail = { error: 'not_found', message: expect.any(String) }
  expect([again.status, again.body]).toEqual([404, { detail }])
  expect((await call('GET', '/webhooks', undefined, owner)).body).toEqual({ webhooks: [] })
})

test('404 not_found on every route that names a webhook', async () => {
  const detail = { error: 'not_found', message: expect.any(String) }
  const absent = '01a1dd1e-0000-7000-8000-000000000000'
  for (const [method, path] of [
    ['PATCH', ''],
    ['DELETE', ''],
    ['POST', '/test'],
    ['POST', '/rotate-secret'],
    ['GET', '/deliveries'],
    ['POST', `/deliveries/${absent}/resend`],
  ] as const) {
    for (const id of [absent, 'nonsense']) {
      const { status, body } = await call(
        method,
        `/webhooks/${id}${path}`,
        method === 'GET' ? undefined : {},
      )
      expect([method, path, status, body]).toEqual([method, path, 404, { detail }])
    }
  }
})

test('502 delivery_failed says why in words, as the log does; 429 after ten in a minute', async () => {
  receiver.behave('/broken', answering(500))
  const { id } = (await create({ url: receiver.url('/broken') }, await rich())).body
  const owner = riches.at(-1)!
  const failed = await call('POST', `/webhooks/${id}/test`, undefined, owner)
  const reason = 'The receiver answered 500; only 2xx counts.'
  const message = `The test delivery did not succeed. ${reason}`
  const detail = { error: 'delivery_failed', message }
  expect([failed.status, failed.body]).toEqual([502, { detail }])
  const { deliveries } = (await call('GET', `/webhooks/${id}/deliveries`, undefined, owner)).body
  expect(deliveries).toEqual([
    {
      id: expect.stringMatching(UUID),
      event_id: expect.stringMatching(UUID),
      event_type: 'notification.test',
      status: 'failed',
      attempts: 1,
      response_status: 500,
      error: 'status',
      reason,
      created_at: expect.stringMatching(TIME),
      attempted_at: expect.stringMatching(TIME),
      next_attempt_at: null,
      delivered_at: null,
    },
  ])
  for (let more = 0; more < 9; more++) await call('POST', `/webhooks/${id}/test`, undefined, owner)
  const limited = await call('POST', `/webhooks/${id}/test`, undefined, owner)
  expect([limited.status, limited.body]).toEqual([429, { detail: 'Rate limit exceeded' }])
  expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0)
})

test('rotate-secret: 200 with a new secret; overlap_hours is 0 to 24', async () => {
  const { id, signing_secret } = (await create({}, await rich())).body
  const owner = riches.at(-1)!
  const rotate = (body?: unknown) => call('POST', `/webhooks/${id}/rotate-secret`, body, owner)
  const { status, body } = await rotate()
  expect([status, body.id]).toEqual([200, id])
  expect(body.signing_secret).toMatch(/^whsec_.{43}$/)
  expect(body.signing_secret).not.toBe(signing_secret)
  expect((await rotate({ overlap_hours: 0 })).status).toBe(200)
  expect((await rotate({ overlap_hours: 25 })).body.detail[0].type).toBe('less_than_equal')
  expect((await rotate({ overlap_hours: -1 })).body.detail[0].type).toBe('greater_than_equal')
})

test('resend: the same event and body in a new delivery', async () => {
  const { id } = (await create({ url: receiver.url('/again') }, await rich())).body
  const owner = riches.at(-1)!
  const { delivery_id } = (await call('POST', `/webhooks/${id}/test`, undefined, owner)).body
  const path = `/webhooks/${id}/deliveries/${delivery_id}/resend`
  const { status, body } = await call('POST', path, undefined, owner)
  expect([status, body.status, body.attempts]).toEqual([200, 'pending', 0])
  const [before, after] = await until('both', () => {
    const both = receiver.at('/again')
    return both.length === 2 && both
  })
  expect(after!.body).toBe(before!.body)
  expect(after!.headers['x-service-delivery']).toBe(body.id)
  expect(body.id).not.toBe(delivery_id)
  const list = await until('it is listed as delivered', async () => {
    const page = await call('GET', `/webhooks/${id}/deliveries?limit=1`, undefined, owner)
    return page.body.deliveries[0].status === 'delivered' && page.body
  })
  expect([list.deliveries[0].id, list.has_more]).toEqual([body.id, true])
  const rest = await call('GET', `/webhooks/${id}/deliveries?offset=1`, undefined, owner)
  expect([rest.body.deliveries[0].id, rest.body.has_more]).toEqual([delivery_id, false])
})

test('the workspace shows what was sent, how it was signed, and every answer', async () => {
  const made = (await create({ url: receiver.url('/inspected') }, await rich())).body
  const owner = riches.at(-1)!
  const answer = `out of \0 stock ${'x'.repeat(600)}`
  receiver.behave('/inspected', (_request, response) => void response.writeHead(500).end(answer))
  await call('POST', `/webhooks/${made.id}/test`, undefined, owner)
  const log = `/webhooks/${made.id}/deliveries`
  const { id } = (await call('GET', log, undefined, owner)).body.deliveries[0]
  await call('POST', `${log}/${id}/resend`, undefined, owner)
  const [sent, again] = await until('both attempts', () => {
    const both = receiver.at('/inspected')
    return both.length === 2 && both
  })
  const inspect = (delivery: string, of = owner) =>
    app.rooms.webhooks.deliveries.inspect(of.account_id, made.id, delivery) as Promise<Inspected>
  const found = await inspect(id)
  expect(found).toMatchObject({ body: sent!.body, url: made.url, attempts: 1 })
  for (const [name, value] of Object.entries(found.headers)) {
    expect([name, value]).toEqual([name, sent!.headers[name.toLowerCase()]])
  }
  const signed = `${sent!.headers['x-service-timestamp']}.${found.body}`
  const hex = createHmac('sha256', made.signing_secret).update(signed).digest('hex')
  expect(found.headers['X-Service-Signature']).toBe(`v1=${hex}`)
  expect(found.log).toEqual([
    {
      at: expect.stringMatching(TIME),
      signed_at: Number(sent!.headers['x-service-timestamp']),
      duration_ms: expect.any(Number),
      status: 500,
      error: null,
      answer: answer.replace('\0', '').slice(0, 500),
    },
  ])
  const queued = again!.headers['x-service-delivery'] as string
  const recorded = async () => (await inspect(queued)).log?.[0]?.status === 500
  await until('the attempt from the queue is recorded', recorded)
  expect(await inspect(id, client)).toEqual(expect.objectContaining({ refused: 'not_found' }))
})
