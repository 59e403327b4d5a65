// Proves: webhooks, events.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sun } from '../../service/kernel/index.ts'
import { openTestApp, TEST_KEY, type TestAccount, type TestApp } from '../testing/app.ts'
import {
  answering,
  drip,
  endless,
  hang,
  openReceiver,
  type Receiver,
  reset,
  testNetwork,
} from '../testing/receiver.ts'
import { until } from '../testing/until.ts'

// Receivers that hang, drip, reset, fail, redirect or disappear. Deliveries to others do not wait
// for them.

let app: TestApp
let receiver: Receiver
const network = testNetwork()

beforeAll(async () => {
  receiver = await openReceiver()
  app = await openTestApp({ webhooks: { secretsKey: TEST_KEY, network } })
})
afterAll(async () => {
  await app.close()
  await receiver.close()
})

let facts = 0
async function happen(who: TestAccount, times = 1) {
  const post = () => ({
    client: who.account_id,
    kind: 'adjustment' as const,
    reference: `fact ${++facts}`,
    amount: sun(1n),
    counter: 'equity:operator' as const,
    description: 'a gift',
    trace: 'test',
  })
  const postings = Array.from({ length: times }, post)
  await app.db.transaction((tx) => app.rooms.ledger.post(tx, postings))
}

async function depositor(): Promise<TestAccount> {
  const account = await app.newAccount({ deposit_trx: '2' })
  app.devnet.chain.mine()
  await until('the credit', async () => {
    const { body } = await app.call('GET', '/v1/account', { key: account.api_key })
    return body.balance_trx === '2'
  })
  return account
}

async function webhook(who: TestAccount, url: string) {
  const body = { name: 'w', url, events: { 'balance.credited': true } }
  const made = await app.call('POST', '/v1/webhooks', { key: who.api_key, body })
  expect([made.status, made.text]).toEqual([201, made.text])
  return made.body.id as string
}

const record = async (who: TestAccount, id: string) => {
  const { body } = await app.call('GET', '/v1/webhooks', { key: who.api_key })
  return body.webhooks.find((one: { id: string }) => one.id === id)
}
const deliveries = async (who: TestAccount, id: string) =>
  (await app.call('GET', `/v1/webhooks/${id}/deliveries?limit=100`, { key: who.api_key })).body
    .deliveries

/** Moves the clock to the time of the retries. */
async function passTime() {
  await app.database.sql(
    `update webhooks.delivery set due_at = '-infinity' where state = 'pending'`,
  )
  await app.database.sql(`update webhooks.queue set due_at = '-infinity'`)
  for (const loop of app.rooms.webhooks.loops) loop.wake()
}

test('receivers that hang, drip and never end delay nobody, and get four connections at most', async () => {
  const slow = await depositor()
  const quick = await depositor()
  let open = 0
  let most = 0
  receiver.behave('/hang', (request, response, got) => {
    open += 1
    most = Math.max(most, open)
    request.socket.once('close', () => {
      open -= 1
    })
    hang(request, response, got)
  })
  receiver.behave('/drip', drip)
  const hanging = await webhook(slow, receiver.url('/hang'))
  const dripping = await webhook(slow, receiver.url('/drip'))
  const fine = await webhook(quick, receiver.url('/fine'))
  await happen(slow, 40)
  await until('the slow ones are full', () => receiver.at('/hang').length >= 4)
  const began = performance.now()
  await happen(quick, 200)
  await until('all of the quick one', () => receiver.at('/fine').length === 200)
  expect(performance.now() - began).toBeLessThan(4_000)
  expect(most).toBe(4)
  const first = await until('a failure', async () => {
    const all = await deliveries(slow, hanging)
    return all.find((one: { attempts: number }) => one.attempts === 1)
  })
  expect(first).toMatchObject({ status: 'pending', response_status: null, error: 'timeout' })
  const dripped = await until('the drip is given up', async () => {
    const all = await deliveries(slow, dripping)
    return all.find((one: { attempts: number }) => one.attempts === 1)
  })
  expect(dripped).toMatchObject({ error: 'timeout' })
  expect((await record(quick, fine)).last_success_at).not.toBeNull()
  await app.call('DELETE', `/v1/webhooks/${hanging}`, { key: slow.api_key })
  await app.call('DELETE', `/v1/webhooks/${dripping}`, { key: slow.api_key })
})

test('an answer of many megabytes is read to 16 KiB, and 2xx is 2xx', async () => {
  const who = await depositor()
  receiver.behave('/endless', endless)
  const id = await webhook(who, receiver.url('/endless'))
  await happen(who)
  await until('delivered', async () => (await deliveries(who, id))[0]?.status === 'delivered')
})

test('500, then 200: the same delivery and body again, signed anew', async () => {
  const who = await depositor()
  receiver.behave('/moody', (request, response, got) =>
    answering(receiver.at('/moody').length === 1 ? 500 : 200)(request, response, got),
  )
  const id = await webhook(who, receiver.url('/moody'))
  await happen(who)
  const failed = await until('a failure', async () => {
    const [one] = await deliveries(who, id)
    return one?.attempts === 1 && one
  })
  expect(failed).toMatchObject({ status: 'pending', response_status: 500, error: 'status' })
  const [due] = await app.database.sql<{ seconds: number }>(
    `select extract(epoch from due_at - clock_timestamp())::float8 as seconds from webhooks.delivery where id = $1`,
    [failed.id],
  )
  expect(due!.seconds).toBeGreaterThan(1)
  expect(due!.seconds).toBeLessThanOrEqual(6)
  await passTime()
  await until('delivered', async () => (await deliveries(who, id))[0].status === 'delivered')
  const [one, two] = receiver.at('/moody')
  expect(two!.body).toBe(one!.body)
  expect(two!.headers['x-service-delivery']).toBe(one!.headers['x-service-delivery'])
  expect((await deliveries(who, id))[0]).toMatchObject({ attempts: 2, response_status: 200 })
})

test('a reset connection, a redirect, and a certificate of another name are failures', async () => {
  const who = await depositor()
  receiver.behave('/reset', reset)
  receiver.behave('/moved', answering(307, { location: 'https://10.0.0.1/inside' }))
  network.names['hooks.elsewhere.example'] = ['93.184.216.34']
  const reached = network.dialled.length
  const ids = await Promise.all([
    webhook(who, receiver.url('/reset')),
    webhook(who, receiver.url('/moved')),
    webhook(who, receiver.url('/other-name', 'hooks.elsewhere.example')),
  ])
  await happen(who)
  const words = await Promise.all(
    ids.map((id) =>
      until(`an attempt of ${id}`, async () => {
        const [one] = await deliveries(who, id)
        return one?.attempts > 0 && [one.response_status, one.error, one.reason]
      }),
    ),
  )
  expect(words).toEqual([
    [null, 'connection_failed', 'The connection to the receiver failed or broke off.'],
    [307, 'status', 'The receiver answered 307, a redirect; redirects are not followed.'],
    [null, 'tls_failed', 'TLS failed: the certificate must be valid for the host.'],
  ])
  expect(receiver.at('/other-name')).toEqual([])
  expect(new Set(network.dialled.slice(reached))).toEqual(new Set(['93.184.216.34']))
  expect(receiver.at('/inside')).toEqual([])
})

test('a receiver that vanishes delays nobody, and gets everything when it is back', async () => {
  const who = await depositor()
  const gone = await openReceiver()
  const url = gone.url('/moved-house')
  const id = await webhook(who, url)
  await webhook(who, receiver.url('/steady'))
  await gone.close()
  await happen(who, 3)
  await until('the other one has all', () => receiver.at('/steady').length === 3)
  await until('each was tried in vain', async () => {
    const all = await deliveries(who, id)
    return (
      all.length === 3 && all.every((one: { error: string }) => one.error === 'connection_refused')
    )
  })
  const back = await openReceiver(Number(new URL(url).port))
  await passTime()
  await until('all arrive', async () => {
    const all = await deliveries(who, id)
    return all.every((one: { status: string }) => one.status === 'delivered')
  })
  expect(back.at('/moved-house')).toHaveLength(3)
  await back.close()
})

test('a name that leads inside after the webhook was made is never connected to', async () => {
  const who = await depositor()
  const url = receiver.url('/rebound', 'rebound.receiver.test')
  const id = await webhook(who, url)
  for (const addresses of [['127.0.0.1'], ['93.184.216.34', '10.0.0.1'], ['::ffff:10.0.0.1'], []]) {
    network.names['rebound.receiver.test'] = addresses
    const reached = network.dialled.length
    await happen(who)
    const word = addresses.length > 0 ? 'host_not_public' : 'host_not_resolved'
    await until(`${word} for ${addresses}`, async () => {
      const all = await deliveries(who, id)
      return all[0]?.error === word && all.every((one: { attempts: number }) => one.attempts > 0)
    })
    expect(network.dialled.slice(reached)).toEqual([])
  }
  expect(receiver.at('/rebound')).toEqual([])
  network.names['rebound.receiver.test'] = ['93.184.216.34']
  await passTime()
  await until('all arrive in the end', () => receiver.at('/rebound').length === 4)
})

test('410 disables at once; what waits is failed and can be sent again after enabling', async () => {
  const who = await depositor()
  receiver.behave('/gone', answering(410))
  const id = await webhook(who, receiver.url('/gone'))
  await happen(who, 12)
  const off = await until('disabled', async () => {
    const now = await record(who, id)
    return now.status === 'disabled' && now
  })
  expect(off.disabled_reason).toContain('410')
  await until('nothing waits', async () => {
    const all = await deliveries(who, id)
    return all.length === 12 && all.every((one: { status: string }) => one.status === 'failed')
  })
  expect(receiver.at('/gone').length).toBeLessThanOrEqual(8)
  const [event] = await app.database.sql(
    `select data from events.event where account_id = $1 and type = 'webhook.disabled'`,
    [who.account_id],
  )
  expect(event).toMatchObject({ data: { webhook_id: id, name: 'w' } })
  const [last] = await deliveries(who, id)
  const again = `/v1/webhooks/${id}/deliveries/${last.id}/resend`
  expect((await app.call('POST', again, { key: who.api_key })).status).toBe(400)
  receiver.behave('/gone', answering(200))
  const body = { status: 'active' }
  await app.call('PATCH', `/v1/webhooks/${id}`, { key: who.api_key, body })
  expect((await app.call('POST', again, { key: who.api_key })).status).toBe(200)
  // Retried at once: a busy machine may have ended an attempt.
  await until('delivered', async () => {
    await passTime()
    return (await deliveries(who, id))?.[0].status === 'delivered'
  })
})

test('72 hours and 20 attempts without a success disable; less of either does not', async () => {
  const who = await depositor()
  receiver.behave('/dead', answering(503, { 'retry-after': '3600' }))
  const id = await webhook(who, receiver.url('/dead'))
  const back = (hours: number) =>
    app.database.sql(
      `update webhooks.endpoint set failing_since = clock_timestamp() - make_interval(hours => $2) where id = $1`,
      [id, hours],
    )
  const failures = async () =>
    (
      await app.database.sql<{ failures: number }>(
        `select failures from webhooks.endpoint where id = $1`,
        [id],
      )
    )[0]!.failures
  await happen(who, 18)
  await until('18 failures', async () => (await failures()) === 18)
  const [due] = await app.database.sql<{ least: number; most: number }>(
    `select min(extract(epoch from due_at - attempted_at))::float8 as least,
            max(extract(epoch from due_at - attempted_at))::float8 as most
       from webhooks.delivery where webhook_id = $1`,
    [id],
  )
  expect(due!.least).toBeGreaterThan(7.5)
  expect(due!.most).toBeLessThan(12.5)
  await back(73)
  await happen(who)
  await until('19 failures', async () => (await failures()) === 19)
  expect((await record(who, id)).status).toBe('active')
  await back(71)
  await happen(who)
  await until('20 failures', async () => (await failures()) === 20)
  expect((await record(who, id)).status).toBe('active')
  await back(72)
  await happen(who)
  const off = await until('disabled', async () => {
    const now = await record(who, id)
    return now.status === 'disabled' && now
  })
  const why = 'Last attempt: The receiver answered 503; only 2xx counts.'
  expect(off.disabled_reason).toBe(`No delivery succeeded for 72 hours. ${why}`)
})

test('removed in the middle of a delivery: nothing further is sent, nothing breaks', async () => {
  const who = await depositor()
  receiver.behave('/slow', hang)
  const id = await webhook(who, receiver.url('/slow'))
  await happen(who, 10)
  await until('it has begun', () => receiver.at('/slow').length === 4)
  expect((await app.call('DELETE', `/v1/webhooks/${id}`, { key: who.api_key })).status).toBe(204)
  receiver.behave('/slow', answering(200))
  const other = await webhook(who, receiver.url('/after'))
  await happen(who)
  await until(
    'the other one',
    async () => (await deliveries(who, other))[0]?.status === 'delivered',
  )
  expect(receiver.at('/slow').length).toBe(4)
})

test('a test that fails says why, and nothing of the address that was dialled', async () => {
  const who = await depositor()
  const closed = await openReceiver()
  const refusing = closed.url('/closed')
  const quiet = receiver.url('/quiet')
  receiver.behave('/quiet', hang)
  receiver.behave('/away', answering(301, { location: 'https://10.0.0.1/inside' }))
  const inside = receiver.url('/inside-now', 'turned.receiver.test')
  const unknown = receiver.url('/unknown-now', 'unknown.receiver.test')
  network.names['turned.receiver.test'] = ['93.184.216.34']
  network.names['unknown.receiver.test'] = ['93.184.216.34']
  network.names['wrong.example'] = ['93.184.216.34']
  const reasons = [
    [refusing, 'The receiver refused the connection.'],
    [quiet, 'The receiver did not answer in full within 5 seconds.'],
    [receiver.url('/away'), 'The receiver answered 301, a redirect; redirects are not followed.'],
    [
      receiver.url('/tls', 'wrong.example'),
      'TLS failed: the certificate must be valid for the host.',
    ],
    [inside, 'The host is not public: every address of its name must be.'],
    [unknown, 'The host name has no address.'],
  ] as const
  const ids = await Promise.all(reasons.map(([url]) => webhook(who, url)))
  await closed.close()
  network.names['turned.receiver.test'] = ['10.0.0.1']
  network.names['unknown.receiver.test'] = []
  for (const [place, [, reason]] of reasons.entries()) {
    const path = `/v1/webhooks/${ids[place]}`
    const { status, body } = await app.call('POST', `${path}/test`, { key: who.api_key })
    const message = `The test delivery did not succeed. ${reason}`
    expect([status, body]).toEqual([502, { detail: { error: 'delivery_failed', message } }])
    expect((await deliveries(who, ids[place]!))[0]).toMatchObject({ reason })
  }
})
