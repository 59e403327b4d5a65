// Proves: identity, orders, account, http.
import { toBase58 } from '@ergon/tron'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestApp, type TestApp } from '../testing/app.ts'
import { until } from '../testing/until.ts'
import { signUp, type Visitor } from '../testing/visitor.ts'

let app: TestApp
let visitor: Visitor
let receiver: string
beforeAll(async () => {
  app = await openTestApp({ signer: true })
  visitor = await signUp(app.url)
  receiver = toBase58(app.devnet.chain.network.funded[3]!.address)
})
afterAll(() => app.close())

async function deposit(amount: number) {
  const { deposit_address: to } = (await visitor.call('GET', '/account')).body
  const from = toBase58(app.devnet.chain.network.funded[0]!.address)
  const before = (await visitor.call('GET', '/deposits')).body.deposits.length
  await app.call('POST', '/sandbox/chain/transfer', { body: { from, to, amount_sun: amount } })
  app.devnet.chain.mine()
  await until('the deposit', async () => {
    const { deposits } = (await visitor.call('GET', '/deposits')).body
    return deposits.length > before && deposits[0].credited_at !== null
  })
}

async function bought() {
  const body = { receiver_address: receiver, resource_amount: 65_000 }
  const answer = await until('a purchase', async () => {
    const tried = await visitor.call('POST', '/buy', body)
    return tried.status === 200 && tried
  })
  return answer.body.order_id as string
}

async function completed(id: string) {
  return until('the order to be completed', async () => {
    await app.mineWhenRead()
    const { body } = await visitor.call('GET', `/order/${id}`)
    return body.status === 'COMPLETED' && body
  })
}

test('a purchase in the workspace is an order like any other, from the workspace', async () => {
  await deposit(50_000_000)
  const order = await completed(await bought())
  expect(order).toMatchObject({ source: 'workspace', receiver_address: receiver })
  const { days, ...sums } = (await visitor.call('GET', '/overview')).body
  expect(days).toHaveLength(14)
  const left = 50_000_000 - Number(order.total_price_sun)
  const today = { ...days.at(-1), delivery_seconds: 0 }
  expect(today).toEqual({
    date: order.completed_at.slice(0, 10),
    balance_trx: String(left / 1_000_000),
    spent_trx: order.total_price_trx,
    spent_orders_trx: order.total_price_trx,
    spent_autoenergy_trx: '0',
    spent_agent_trx: '0',
    energy: 65_000,
    completed: 1,
    failed: 0,
    delivery_seconds: 0,
  })
  expect(days.at(-1).delivery_seconds).toBeGreaterThanOrEqual(0)
  expect(sums).toEqual({
    spent_week_trx: order.total_price_trx,
    burn_cost_trx: '6.5',
    discount_basis_points: 0,
  })
})

test('a tab receives changes of its balance and its orders, and of nobody else’s', async () => {
  const received: string[] = []
  const leaving = new AbortController()
  const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const stream = await fetch(`${app.url}/app/v1/live`, {
    headers: { cookie },
    signal: leaving.signal,
  })
  expect(stream.headers.get('content-type')).toBe('text/event-stream')
  const listening = (async () => {
    for await (const chunk of stream.body!) received.push(Buffer.from(chunk).toString())
  })().catch(() => {})
  await until('the balance', () => received.join('').includes('"kind":"balance"'))
  const stranger = await app.newAccount({ deposit_trx: '7' })
  const id = await bought()
  await completed(id)
  await until('the end of the order', () =>
    received.join('').includes(`"${id}","status":"COMPLETED"`),
  )
  expect(received.join('')).not.toContain(stranger.deposit_address)
  expect(received.join('')).not.toContain('"balance_trx":"7"')
  leaving.abort()
  await listening
})

test('a key is shown once, works at once, and is dead once it is revoked', async () => {
  const made = (await visitor.call('POST', '/keys', { name: 'till' })).body
  expect((await app.call('GET', '/v1/account', { key: made.api_key })).status).toBe(200)
  const listed = await visitor.call('GET', '/keys')
  expect(listed.body.keys[0]).toMatchObject({ name: 'till', last_four: made.api_key.slice(-4) })
  expect(listed.text).not.toContain(made.api_key)
  expect((await visitor.call('DELETE', `/keys/${made.id}`)).status).toBe(204)
  await until('it is dead', async () => {
    const { status } = await app.call('GET', '/v1/account', { key: made.api_key })
    return status === 401
  })
})

test('a key has a name and a note that can be changed, and says when it was last used', async () => {
  const made = (await visitor.call('POST', '/keys', { name: 'shop', note: 'on the till' })).body
  expect(made).toEqual({
    id: made.id,
    name: 'shop',
    note: 'on the till',
    last_four: made.api_key.slice(-4),
    created_at: made.created_at,
    last_used_at: null,
    api_key: made.api_key,
  })
  const changed = await visitor.call('PATCH', `/keys/${made.id}`, { note: 'in the office' })
  const { api_key: _shownOnce, ...key } = made
  expect(changed.body).toEqual({ ...key, note: 'in the office' })
  const unknown = await visitor.call('PATCH', '/keys/none', {})
  expect(unknown.status).toBe(404)
  await app.call('GET', '/v1/account', { key: made.api_key })
  await until('its use to be written', async () => {
    const { keys } = (await visitor.call('GET', '/keys')).body
    return keys[0].last_used_at !== null
  })
})

test('the requests of a program are listed with what was answered, by status and by route', async () => {
  const { api_key: key } = (await visitor.call('POST', '/keys', { name: 'log' })).body
  const ask = (path: string, id: string) =>
    app.call('GET', path, { key, headers: { 'x-request-id': id } })
  await ask('/v1/orders?page=1&canary=1', 'first')
  await ask('/v1/order/canary', 'second')
  await ask('/v1/orders?page=none', key)
  await visitor.call('GET', '/orders')
  const all = await visitor.call('GET', '/requests')
  expect(all.body.requests.slice(0, 3)).toEqual([
    {
      id: expect.any(String),
      at: expect.any(String),
      method: 'GET',
      route: '/v1/orders',
      status: 422,
      duration_ms: expect.any(Number),
      request_id: 'erg_…',
      refusal: 'invalid_request',
    },
    expect.objectContaining({
      route: '/v1/order/{id}',
      status: 404,
      request_id: 'second',
      refusal: 'order_not_found',
    }),
    expect.objectContaining({ status: 200, request_id: 'first', refusal: null }),
  ])
  expect(all.text).not.toContain('canary')
  expect(all.text).not.toContain(key)
  expect(all.body.routes).toEqual(expect.arrayContaining(['/v1/order/{id}', '/v1/orders']))
  const ids = async (query: string) => {
    const { body } = await visitor.call('GET', `/requests?${query}`)
    return body.requests.map(({ request_id }: { request_id: string }) => request_id)
  }
  expect(await ids('status=4xx&route=/v1/order/%7Bid%7D')).toEqual(['second'])
  expect(await ids(`limit=1&before=${all.body.requests[0].id}`)).toEqual(['second'])
  const wrong = await visitor.call('GET', '/requests?status=abc')
  expect(wrong.status).toBe(422)
  const stranger = await signUp(app.url)
  expect((await stranger.call('GET', '/requests')).body).toEqual({
    requests: [],
    routes: [],
    has_more: false,
  })
})

test('the low-balance threshold is kept, and nonsense is refused in words', async () => {
  const patch = (low_balance_trx: unknown) =>
    visitor.call('PATCH', '/settings', { low_balance_trx })
  expect((await patch('25.5')).body).toMatchObject({ low_balance_trx: '25.5' })
  for (const wrong of ['0', '-1', 'much', '1.0000001', '']) {
    expect([wrong, (await patch(wrong)).status]).toEqual([wrong, 400])
  }
  expect((await visitor.call('GET', '/settings')).body).toMatchObject({ low_balance_trx: '25.5' })
  expect((await patch(null)).body).toMatchObject({ low_balance_trx: null })
})

test('a statement adds up, and its table has every entry of the month', async () => {
  const month = new Date(
    app.rooms.ledger
      ? Date.parse((await visitor.call('GET', '/transactions')).body.transactions[0].created_at)
      : 0,
  )
    .toISOString()
    .slice(0, 7)
  const { body } = await visitor.call('GET', `/statements/${month}`)
  const micro = (trx: string) => Math.round(Number(trx) * 1_000_000)
  const sum = body.sums.reduce(
    (all: number, one: { amount_trx: string }) => all + micro(one.amount_trx),
    0,
  )
  expect(micro(body.opening_trx) + sum).toBe(micro(body.closing_trx))
  const table = await visitor.call('GET', `/statements/${month}/csv`)
  expect(table.headers.get('content-type')).toContain('text/csv')
  expect(table.text.split('\r\n')[0]).toContain('amount_trx')
  const entries = (await visitor.call('GET', '/transactions?limit=100')).body.transactions
  expect(table.text.trim().split('\r\n')).toHaveLength(entries.length + 1)
  for (const wrong of ['2999-01', '2026-13', 'x', '2026-1']) {
    expect((await visitor.call('GET', `/statements/${wrong}`)).status).toBe(404)
  }
})

test('a checkout is paid by its exact amount', async () => {
  const body = { receiver_address: receiver, resource_amount: 65_000 }
  const opened = (await visitor.call('POST', '/checkouts', body)).body
  expect(opened).toMatchObject({ status: 'AWAITING_PAYMENT', source: 'checkout' })
  await deposit(Number(opened.amount_sun))
  await completed(opened.id)
})
