// Proves: webhooks, events, orders.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { TEST_KEY, type TestAccount } from '../testing/app.ts'
import { type Market, openMarket } from '../testing/market.ts'
import { openReceiver, type Receiver, testNetwork } from '../testing/receiver.ts'
import { until } from '../testing/until.ts'
import { verified } from '../testing/verifier.ts'

// What a webhook is sent when an order fails; the stories have the orders that complete.

let market: Market
let receiver: Receiver
let client: TestAccount
let secret: string
beforeAll(async () => {
  receiver = await openReceiver()
  market = await openMarket({ webhooks: { secretsKey: TEST_KEY, network: testNetwork() } })
  client = await market.fundedAccount('100')
  const events = { 'balance.changed': true }
  const body = { name: 'all', url: receiver.url('/all'), events }
  const made = await market.call('POST', '/v1/webhooks', { key: client.api_key, body })
  secret = made.body.signing_secret
})
afterAll(async () => {
  await market?.close()
  await receiver?.close()
})

type Told = { id: string; type: string; data: Record<string, unknown> }
/** Events of a type. A busy machine may be sent one of them twice, under the same id. */
function told(type: string): Told[] {
  const events = receiver.at('/all').map((got) => verified(secret, got) as Told)
  const once = new Map(events.map((event) => [event.id, event]))
  return [...once.values()].filter((event) => event.type === type)
}

async function failed(): Promise<{ id: string; error_message: string; price: number }> {
  const { order_id, total_price_sun } = (await market.buy(client)).body
  const order = await until('FAILED', async () => {
    const { body } = await market.get(client, `/order/${order_id}`)
    return body.status === 'FAILED' && body
  })
  return { ...order, price: total_price_sun }
}

test('a FAILED order is told once, with its error_message; its refund is a credit without threshold', async () => {
  await market.provider({ behaviour: 'fail' })
  const [first, second] = [await failed(), await failed()]
  await until('both are told', () => told('order.status_changed').length >= 2)
  await until('all movements are told', () => told('balance.changed').length >= 4)
  await until('both credits are told', () => told('balance.credited').length >= 2)
  for (const { id, error_message, price } of [first, second]) {
    const own = told('order.status_changed').filter(({ data }) => data.order_id === id)
    expect(own.map(({ data }) => data)).toEqual([
      {
        order_id: id,
        status: 'FAILED',
        resource_type: 'ENERGY',
        resource_amount: '65000',
        receiver_address: market.receivers[1],
        total_price_sun: price,
        error_message,
      },
    ])
    expect(error_message).toMatch(/\S/)
    const refund = {
      entry_id: expect.any(String),
      entry_type: 'refund',
      amount_sun: price,
      balance_sun: 100_000_000,
      reference_id: id,
    }
    for (const type of ['balance.changed', 'balance.credited']) {
      const movements = told(type).filter(({ data }) => data.reference_id === id)
      const credits = movements.filter(({ data }) => data.entry_type === 'refund')
      expect([type, credits.map(({ data }) => data)]).toEqual([type, [refund]])
    }
  }
})
