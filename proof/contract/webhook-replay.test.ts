// Proves: webhooks, events.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestApp, TEST_KEY, type TestAccount, type TestApp } from '../testing/app.ts'
import { answering, openReceiver, type Receiver, testNetwork } from '../testing/receiver.ts'
import { until } from '../testing/until.ts'

let app: TestApp
let receiver: Receiver
let client: TestAccount
let ids: string[]
const EVENTS = 12
/** Events that happen while a replay runs. */
const LIVE = 20

beforeAll(async () => {
  receiver = await openReceiver()
  app = await openTestApp({ webhooks: { secretsKey: TEST_KEY, network: testNetwork() } })
  client = await app.newAccount({ deposit_trx: '2' })
  app.devnet.chain.mine()
  await until('the deposit', async () => {
    return (await call('GET', '/account')).body.balance_trx === '2'
  })
  // Their ids are in another order than their times.
  const rows = await app.database.sql<{ id: string }>(
    `with made as (
       select uuidv7() as id, n from generate_series(1, $2::integer) n
     ), told as (
       select events.emit_one(id, $1, 'balance.low', n::text, date_trunc('milliseconds', now()) - n * interval '1 minute', 'test',
                              json_build_object('entry_id', n::text)) from made
     )
     select id from made, (select count(*) from told) c order by n desc`,
    [client.account_id, EVENTS],
  )
  ids = rows.map(({ id }) => id)
})
afterAll(async () => {
  await app.close()
  await receiver.close()
})

const call = (method: string, path: string, body?: unknown) =>
  app.call(method, `/v1${path}`, { key: client.api_key, body })
const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString()
const types = ['balance.low']

async function newWebhook(path: string): Promise<string> {
  const { body } = await call('POST', '/webhooks', { name: path, url: receiver.url(path) })
  return body.id
}
const replay = (id: string, asked: Record<string, unknown>) =>
  call('POST', `/webhooks/${id}/replay`, asked)
const eventIds = (path: string) =>
  receiver.at(path).map(({ body }) => JSON.parse(body).id as string)
const deliveryIds = (path: string) =>
  receiver.at(path).map(({ headers }) => String(headers['x-service-delivery']))
const ended = (id: string) =>
  until('the end of the replay', async () => {
    const of = 'select state from webhooks.replay where webhook_id = $1 order by id desc limit 1'
    const [row] = await app.database.sql<{ state: string }>(of, [id])
    return row!.state !== 'running' && row!.state
  })

test('200: the events of the time and types, in the order in which they happened, one at a time', async () => {
  const id = await newWebhook('/one')
  const started = await replay(id, { from: ago(60), types })
  expect([started.status, started.body]).toEqual([
    200,
    {
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      webhook_id: id,
      from: expect.stringMatching(/Z$/),
      to: expect.stringMatching(/Z$/),
      types,
      status: 'running',
      events: EVENTS,
      queued: 0,
      created_at: expect.stringMatching(/Z$/),
    },
  ])
  expect(await ended(id)).toBe('done')
  await until('all', () => receiver.at('/one').length === EVENTS)
  // The order is that of time, although all were queued for the same webhook.
  expect(eventIds('/one')).toEqual(ids)
  // The same event ids in new deliveries.
  const first = deliveryIds('/one')
  const again = await replay(id, { from: ago(60), to: ago(8), types })
  expect(again.body.events).toBeLessThan(EVENTS)
  expect(await ended(id)).toBe('done')
  await until('those', () => receiver.at('/one').length === EVENTS + again.body.events)
  expect(eventIds('/one').slice(EVENTS)).toEqual(ids.slice(0, again.body.events))
  expect(new Set([...first, ...deliveryIds('/one')]).size).toBe(EVENTS + again.body.events)
})

test('one that fails goes to the ordinary retries and does not stop the others', async () => {
  const id = await newWebhook('/fails')
  receiver.behave('/fails', (request, response, got) => {
    const isThird = JSON.parse(got.body).id === ids[2]
    answering(isThird ? 500 : 200)(request, response, got)
  })
  await replay(id, { from: ago(60), types })
  expect(await ended(id)).toBe('done')
  await until('all', () => receiver.at('/fails').length >= EVENTS)
  expect(eventIds('/fails').slice(0, EVENTS)).toEqual(ids)
  const { deliveries } = (await call('GET', `/webhooks/${id}/deliveries?limit=100`)).body
  const third = deliveries.find((one: { event_id: string }) => one.event_id === ids[2])
  expect(third).toMatchObject({ status: 'pending', response_status: 500, attempts: 1 })
})

test('409 replay_running: one at a time per webhook, however often it is asked for', async () => {
  const hooks = await Promise.all(['/s1', '/s2', '/s3'].map(newWebhook))
  const storm = await Promise.all(
    Array.from({ length: 30 }, (_, nth) => replay(hooks[nth % 3]!, { from: ago(60), types })),
  )
  expect(storm.filter(({ status }) => status === 200)).toHaveLength(3)
  for (const { status, text } of storm.filter((one) => one.status !== 200)) {
    expect([status, text]).toEqual([409, '{"detail":{"error":"replay_running"}}'])
  }
  for (const id of hooks) expect(await ended(id)).toBe('done')
  await until('each once', () =>
    ['/s1', '/s2', '/s3'].every((at) => receiver.at(at).length === EVENTS),
  )
  // At most ten a second: twelve are apart by at least eleven steps of 100 ms.
  const [first, last] = [receiver.at('/s1')[0]!, receiver.at('/s1').at(-1)!]
  expect(last.atMs - first.atMs).toBeGreaterThan(1_000)
})

test('what happens during a replay is sent beside it: neither waits for the other, and nothing comes twice', async () => {
  const id = await newWebhook('/beside')
  const asked = { from: ago(60), types: [...types, 'order.status_changed'] }
  await replay(id, asked)
  await until('it has begun', () => receiver.at('/beside').length > 0)
  const goOnAt = (moment: string) =>
    app.database.sql(`update webhooks.replay set next_at = ${moment} where webhook_id = $1`, [id])
  await goOnAt(`created_at + interval '1 hour'`)
  const live = await app.database.sql<{ id: string }>(
    `with made as (select uuidv7() as id from generate_series(1, $2::integer)),
          told as (select events.emit_one(id, $1, 'order.status_changed', id::text, now(), 'test', '{}'::json) from made)
     select id from made, (select count(*) from told) c`,
    [client.account_id, LIVE],
  )
  await until('the new ones', () => live.every((one) => eventIds('/beside').includes(one.id)))
  expect((await replay(id, asked)).status).toBe(409)
  await goOnAt('created_at')
  expect(await ended(id)).toBe('done')
  await until('all', () => receiver.at('/beside').length >= EVENTS + LIVE)
  const sent = eventIds('/beside')
  expect(sent.toSorted()).toEqual([...ids, ...live.map((one) => one.id)].toSorted())
  expect(sent.filter((one) => ids.includes(one))).toEqual(ids)
})

test('a receiver that does not answer is asked one thing at a time, and a disabled webhook ends its replay', async () => {
  const id = await newWebhook('/hangs')
  receiver.behave('/hangs', () => {})
  await replay(id, { from: ago(60), types })
  await until('the first', () => receiver.at('/hangs').length === 1)
  await call('PATCH', `/webhooks/${id}`, { status: 'disabled' })
  expect(await ended(id)).toBe('stopped')
  expect(receiver.at('/hangs')).toHaveLength(1)
  const refused = await replay(id, { from: ago(60) })
  expect([refused.status, refused.body.detail.error]).toEqual([400, 'validation_error'])
})

test('400 validation_error: more than 30 days back, from after to; 422 what is no time or type', async () => {
  const id = await newWebhook('/range')
  for (const asked of [
    { from: ago(30 * 1_440 + 1) },
    { from: ago(1), to: ago(2) },
    { from: '2026-13-01T00:00:00Z' },
  ]) {
    const { status, body } = await replay(id, asked)
    expect([status, body.detail.error]).toEqual([400, 'validation_error'])
  }
  const wrong = [
    {},
    { from: 'yesterday' },
    { from: ago(1), types: ['all'] },
    { from: ago(1), types: [] },
  ]
  for (const asked of wrong) expect((await replay(id, asked)).status).toBe(422)
  const nothing = await replay(id, { from: ago(1), to: ago(1), types })
  expect(nothing.body).toMatchObject({ status: 'done', events: 0 })
})

test('400 validation_error: more than 100,000 events', async () => {
  const id = await newWebhook('/many')
  await app.database.sql(
    `select events.emit_many(array_agg(uuidv7()), array_agg($1::uuid), array_agg('balance.low'::text),
              array_agg(n::text), array_agg(now() - interval '5 days'), array_agg('t'::text), array_agg('{}'::json))
       from generate_series(1, 100001) n`,
    [client.account_id],
  )
  const { status, body } = await replay(id, { from: ago(6 * 1_440), types })
  expect([status, body.detail.message]).toEqual([400, expect.stringContaining('100000')])
  // It has left nothing behind that would refuse a shorter one.
  expect((await replay(id, { from: ago(60), types })).status).toBe(200)
  expect(await ended(id)).toBe('done')
})
