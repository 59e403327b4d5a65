// Proves: operator, ledger, webhooks, events.
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestAccount } from '../testing/app.ts'
import { type Market, openMarket } from '../testing/market.ts'
import { openOperator } from '../testing/operator.ts'
import { until } from '../testing/until.ts'
import type { Visitor } from '../testing/visitor.ts'

// Everything about one order on one page, in order of time: what somebody needs who answers a client.

let market: Market
let client: TestAccount
let ann: Visitor
beforeAll(async () => {
  market = await openMarket({ blockMs: 200 })
  client = await market.fundedAccount('100')
  ann = await openOperator(market, 'ann@example.com', 'viewer')
  const sink = await market.call('POST', '/sandbox/webhook-sink')
  const body = { name: 'till', url: sink.body.url }
  await market.call('POST', '/v1/webhooks', { key: client.api_key, body })
})
afterAll(() => market?.close())

type Happening = { at: string; kind: string; what: string; reference: string | null }

async function historyOf(id: string, is: (history: Happening[]) => boolean) {
  return until('the history', async () => {
    const { body } = await ann.call('GET', `/orders/${id}`)
    return is(body.history) && (body as { history: Happening[]; proof_path: string })
  })
}

test('money, attempts, chain, events and deliveries of an order, in order of time', async () => {
  const bought = await market.buy(client)
  const { order_id: id } = bought.body
  const { history, proof_path } = await historyOf(
    id,
    (all) =>
      all.some(({ kind, what }) => kind === 'webhook' && /delivered/.test(what)) &&
      all.some(({ kind, what }) => kind === 'order' && what === 'completed'),
  )
  const times = history.map(({ at }) => at)
  expect(times).toEqual([...times].sort())
  expect(history[0]).toMatchObject({ kind: 'order', what: 'ordered, source api', reference: id })
  const of = (kind: string) => history.filter((one) => one.kind === kind).map(({ what }) => what)
  expect(of('money')).toEqual([
    expect.stringMatching(/^purchase: [\d.]+ TRX from client to escrow:orders; /),
    expect.stringMatching(/^deliver: [\d.]+ TRX from escrow:orders to income:energy; /),
  ])
  expect(of('delivery')).toEqual([
    expect.stringMatching(/^own_stake was asked for 65000 Energy at /),
  ])
  expect(of('chain')).toEqual([
    expect.stringMatching(/^65000 Energy of own_stake delegated in block \d+$/),
  ])
  expect(of('event')).toContain('order.status_changed')
  expect(of('webhook')[0]).toMatch(/ to till: delivered after 1 attempts, 200$/)
  // What the client is sent.
  const proof = await market.call('GET', proof_path)
  expect([proof.status, proof.body.order_id]).toEqual([200, id])
  // The search leads to it, by the transaction and by the id.
  const { reference } = history.find(({ kind }) => kind === 'chain')!
  for (const text of [reference, id]) {
    const found = await ann.call('GET', `/find?text=${text}`)
    expect(found.body.found).toMatchObject([{ kind: 'order', order_id: id }])
  }
})

test('what is no order has no history', async () => {
  for (const id of ['01a1dd1e-0000-7000-8000-000000000000', 'not-an-id']) {
    expect((await ann.call('GET', `/orders/${id}`)).status).toBe(404)
  }
})
