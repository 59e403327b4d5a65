// Proves: http, orders, delivery, chain.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTraces } from '../../service/http/index.ts'
import { silentLog } from '../../service/kernel/index.ts'
import { openTestApp, type TestAccount, type TestApp } from '../testing/app.ts'
import { type Collected, openCollector } from '../testing/collector.ts'
import { type Market, openMarket } from '../testing/market.ts'
import { until } from '../testing/until.ts'

// A purchase at one process, delivered by another, is one trace from the request to the block.

let collector: Awaited<ReturnType<typeof openCollector>>
let market: Market
let api: TestApp
let client: TestAccount
beforeAll(async () => {
  collector = await openCollector()
  const traces = (role: string) =>
    createTraces({ url: collector.url, role, log: silentLog, everyMs: 50 })
  market = await openMarket({ traces: traces('worker') })
  const { database, devnet } = market
  api = await openTestApp({ database, devnet, role: 'api', traces: traces('api') })
  client = await market.fundedAccount('100')
})
afterAll(async () => {
  await api.close()
  await market.close()
  collector.close()
})

const THEIRS = { trace: '4bf92f3577b34da6a3ce929d0e0e4736', span: '00f067aa0ba902b7' }

async function buy(traceparent: string, key = 'canary-key') {
  const bought = await until('the other process sells', async () => {
    const answer = await api.call('POST', '/v1/buy', {
      key: client.api_key,
      body: { receiver_address: market.receivers[1], resource_amount: 65_000 },
      headers: { traceparent, 'idempotency-key': key },
    })
    return answer.status === 200 && answer
  })
  return bought.body.order_id as string
}

const spanOf = (order: string, name: string) =>
  collector.spans.find((span) => span.traceId === order.replaceAll('-', '') && span.name === name)

test('one purchase is one trace, from the request through both processes to the block', async () => {
  const order = await buy(`00-${THEIRS.trace}-${THEIRS.span}-01`)
  await until('the delegation is in the pool', () => market.devnet.chain.pool.size > 0)
  market.devnet.chain.mine()
  await until('the order is final', async () => {
    return (await market.get(client, `/order/${order}`)).body.status === 'COMPLETED'
  })
  const root = await until('its trace', () => spanOf(order, 'order'))
  const request = await until('the request', () =>
    collector.spans.find(
      ({ traceId, name, links }) =>
        traceId === THEIRS.trace && name === 'POST /v1/buy' && links.length > 0,
    ),
  )
  const [purchase, wait, attempt, signing, broadcast, block] = [
    'orders.purchase',
    'orders.wait',
    'delivery.attempt',
    'signing',
    'chain.broadcast',
    'chain.block',
  ].map((name) => spanOf(order, name)!)

  expect(request).toMatchObject({ role: 'api', parentSpanId: THEIRS.span, kind: 2 })
  expect(request.attributes).toMatchObject({
    'http.route': '/v1/buy',
    'http.response.status_code': 200,
    'ergon.account': client.account_id,
  })
  // Each names the other, so that both ways can be followed.
  expect(request.links).toEqual([{ traceId: purchase!.traceId, spanId: purchase!.spanId }])
  expect(purchase).toMatchObject({ role: 'api', parentSpanId: root.spanId })
  expect(purchase!.links).toEqual([{ traceId: request.traceId, spanId: request.spanId }])
  expect(purchase!.attributes['ergon.purchases_in_group']).toBe(1)

  const inWorker: [Collected | undefined, Collected][] = [
    [wait, root],
    [attempt, root],
    [signing, attempt!],
    [broadcast, attempt!],
    [block, attempt!],
  ]
  for (const [span, parent] of inWorker) {
    expect(span).toMatchObject({ role: 'worker', parentSpanId: parent.spanId, status: {} })
    expect(BigInt(span!.endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(span!.startTimeUnixNano))
  }
  const [{ txid, block: number }] = (await market.database.sql<{ txid: string; block: string }>(
    `select txid, block_number as block from delivery.delegation`,
  )) as [{ txid: string; block: string }]
  expect(block!.attributes).toEqual({ 'ergon.txid': txid, 'ergon.block': Number(number) })
  expect(broadcast!.attributes).toMatchObject({ 'ergon.txid': txid })
  expect(root.attributes).toMatchObject({ 'ergon.order': order, 'ergon.status': 'COMPLETED' })
})

test('nothing that a client wrote is in any span', () => {
  const text = collector.text()
  for (const canary of [client.api_key, 'canary-key', market.receivers[1]!, '127.0.0.1']) {
    expect(text).not.toContain(canary)
  }
})

test('a client that does not record its trace is not traced, and a wrong header is no trace', async () => {
  const trace = 'a'.repeat(32)
  const ask = (traceparent: string, id: string) =>
    api.call('GET', '/v1/account', {
      key: client.api_key,
      headers: { traceparent, 'x-request-id': id },
    })
  await ask(`00-${trace}-${THEIRS.span}-00`, 'not-recorded')
  await ask(`00-${trace}-${THEIRS.span}-01x`, client.api_key)
  await ask(`00-${'0'.repeat(32)}-${THEIRS.span}-01`, 'no-trace')
  const made = await until('the second', () =>
    collector.spans.find(({ attributes }) => attributes['ergon.request'] === 'no-trace'),
  )
  expect(made.traceId).toMatch(/^(?!0{32})[0-9a-f]{32}$/)
  expect(made.parentSpanId).toBeUndefined()
  expect(collector.spans.some(({ traceId }) => traceId === trace)).toBe(false)
  expect(collector.spans.some(({ attributes }) => attributes['ergon.request'] === 'erg_…')).toBe(
    true,
  )
  expect(collector.text()).not.toContain(client.api_key)
})

test('a failed order has a trace that says so', async () => {
  await market.provider({ behaviour: 'fail' })
  const order = await buy('none', 'canary-key-2')
  const root = await until('its trace', () => spanOf(order, 'order'))
  expect(root).toMatchObject({ status: { code: 2 }, attributes: { 'ergon.status': 'FAILED' } })
  expect(spanOf(order, 'delivery.attempt')).toMatchObject({
    status: { code: 2 },
    attributes: { 'ergon.state': 'refused', 'ergon.provider': 'own_stake' },
  })
})
