// Proves: agent.
import { toBase58 } from '@ergon/tron'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type AgentConfig, type AgentMarket, BASE, openAgentMarket } from '../testing/agent.ts'
import { openTestApp, type TestAccount } from '../testing/app.ts'
import { openStream, type TestStream } from '../testing/eventStream.ts'
import { fixedPart } from '../testing/refused.ts'
import { until } from '../testing/until.ts'

// GET /v1/pay/{public_id}/live: a payer follows payments to a pay page, without a key.

type Live = {
  tx_hash: string
  amount_sun: number
  units: number
  energy: number
  status: string
  message: string
  delegation_txids: string[]
  usable_until: string | null
}

let market: AgentMarket
let shop: TestAccount
const open: TestStream<Live>[] = []

beforeAll(async () => {
  market = await openAgentMarket()
  shop = await market.fundedAccount('1000')
})
afterEach(() => {
  for (const stream of open.splice(0)) stream.close()
})
afterAll(() => market?.close())

const payerAt = (index: number) => toBase58(market.devnet.chain.network.funded[index]!.address)

async function follow({ public_id }: AgentConfig, payer: string, more = '') {
  const stream = await openStream<Live>(
    `${market.url}/v1/pay/${public_id}/live?payer=${payer}${more}`,
  )
  open.push(stream)
  return stream
}

const receiveStatus = (stream: TestStream<Live>, txid: string, status: string) =>
  until(`${status} is told`, async () => {
    // One block at a time: a chain that grows faster than it is read is never read to its end.
    const at = await market.rooms.chain.progress()
    if (at?.number === market.devnet.chain.head.number) market.mine()
    return stream.messages.find((m) => m.tx_hash === txid && m.status === status)
  })

test('seen, delegating, delegated: with the delegation and the time until which it can be used', async () => {
  const config = await market.newConfig(shop)
  const stream = await follow(config, payerAt(0))
  expect([stream.status, stream.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
  const began = Date.now()
  const txid = await market.pay(config, Math.floor(2.5 * BASE))
  market.mine()
  // Only another block can hold the delegation: until then the payer can be told no more than this.
  const seen = await until('delivering is told', () =>
    stream.messages.find((message) => message.tx_hash === txid && message.status === 'delivering'),
  )
  expect(seen).toMatchObject({ delegation_txids: [], usable_until: null })
  const done = await receiveStatus(stream, txid, 'completed')
  expect(done).toEqual({
    tx_hash: txid,
    amount_sun: 2.5 * BASE,
    units: 2,
    energy: 130_000,
    status: 'completed',
    message: 'The Energy is on your wallet.',
    delegation_txids: [expect.stringMatching(/^[0-9a-f]{64}$/)],
    usable_until: expect.any(String),
  })
  const [order] = (await market.get(shop, '/orders')).body.orders
  expect(done.delegation_txids).toEqual(order.delegation_txids)
  const usable = Date.parse(done.usable_until!) - began
  expect(usable).toBeGreaterThan(3_590_000)
  expect(usable).toBeLessThan(3_660_000)
  const states = stream.messages.map(({ status }) => status)
  expect(states).toEqual(
    ['processing', 'delivering', 'completed'].filter((s) => states.includes(s)),
  )
})

test('who comes later is told what there is, and nothing of other payers or other pages', async () => {
  const config = await market.newConfig(shop)
  const other = await market.newConfig(shop)
  const stream = await follow(config, payerAt(1))
  const txid = await market.pay(config, BASE, 1)
  const another = await market.pay(config, BASE, 2)
  const elsewhere = await market.pay(other, BASE, 1)
  await receiveStatus(stream, txid, 'completed')
  await receiveStatus(await follow(config, payerAt(2)), another, 'completed')
  await receiveStatus(await follow(other, payerAt(1)), elsewhere, 'completed')
  const later = await follow(config, payerAt(1))
  await receiveStatus(later, txid, 'completed')
  for (const { messages } of [stream, later]) {
    expect(new Set(messages.map((message) => message.tx_hash))).toEqual(new Set([txid]))
  }
  expect(later.messages).toHaveLength(1)
})

test('a skip is explained in words of the asked language, and its reason is nobody else’s business', async () => {
  const config = await market.newConfig(shop)
  const txid = await market.pay(config, BASE - 1, 3)
  for (const [lang, words] of [
    ['', 'The amount is below the price of one unit'],
    ['&lang=zh', '金额低于一份的价格'],
    ['&lang=ru', 'Сумма меньше цены одной порции'],
    ['&lang=es', 'El importe es menor que el precio'],
  ] as const) {
    const stream = await follow(config, payerAt(3), lang)
    const skipped = await receiveStatus(stream, txid, 'skipped')
    expect(skipped.message).toContain(words)
    expect(Object.keys(skipped)).not.toContain('skip_reason')
    expect(JSON.stringify(skipped)).not.toContain('below_base')
  }
})

const toldOf = (stream: TestStream<Live>) => stream.messages.map(({ tx_hash }) => tx_hash)

test('payments of the last hour, not older ones', async () => {
  const config = await market.newConfig(shop)
  const old = await market.pay(config, BASE - 1, 4)
  await receiveStatus(await follow(config, payerAt(4)), old, 'skipped')
  await market.advance(3_601)
  const young = await market.pay(config, BASE - 1, 4)
  const stream = await follow(config, payerAt(4))
  await receiveStatus(stream, young, 'skipped')
  expect(toldOf(stream)).not.toContain(old)
})

test('who comes later is told of the newest twenty of a payer’s payments', async () => {
  const config = await market.newConfig(shop)
  const oldest = await market.pay(config, BASE - 1, 5)
  market.mine()
  await market.payment(shop, oldest, 'skipped')
  const newer: string[] = []
  for (let count = 0; count < 20; count++) newer.push(await market.pay(config, BASE - 2, 5))
  market.mine()
  for (const txid of newer) await market.payment(shop, txid, 'skipped')
  const stream = await follow(config, payerAt(5))
  await until('all are told', () => newer.every((txid) => toldOf(stream).includes(txid)))
  expect(toldOf(stream).sort()).toEqual(newer.sort())
})

describe('refusals', () => {
  const ask = (path: string, method = 'GET') => market.call(method, `/v1/pay/${path}`)

  test('an unknown page, a payer that is no address, another method', async () => {
    const { public_id } = await market.newConfig(shop)
    const missing = await ask(`${'1'.repeat(22)}/live?payer=${payerAt(0)}`)
    expect([missing.status, missing.body.detail.error]).toEqual([404, 'not_found'])
    const nobody = await ask(`${public_id}/live?payer=nobody`)
    expect([nobody.status, nobody.body.detail.error]).toEqual([422, 'address_invalid'])
    expect((await ask(`${public_id}/live`)).status).toBe(422)
    expect((await ask(`${public_id}/live?payer=${payerAt(0)}&lang=xx`)).status).toBe(422)
    expect((await ask(`${public_id}/live?payer=${payerAt(0)}`, 'POST')).status).toBe(405)
    const head = await ask(`${public_id}/live?payer=${payerAt(0)}`, 'HEAD')
    expect([head.status, head.text]).toEqual([200, ''])
  })
})

describe('a node that is not the sandbox', () => {
  const STREAMS_PER_ADDRESS = 20

  async function openNode() {
    const { database, devnet } = market
    return openTestApp({ database, devnet, sandbox: false, role: 'api' })
  }

  test('one address holds so many streams and no more; closing one makes room', async () => {
    const node = await openNode()
    const { public_id } = await market.newConfig(shop)
    const url = `${node.url}/v1/pay/${public_id}/live?payer=${payerAt(0)}`
    const streams = await Promise.all(
      Array.from({ length: STREAMS_PER_ADDRESS }, () => openStream(url)),
    )
    expect(new Set(streams.map(({ status }) => status))).toEqual(new Set([200]))
    const refused = await fetch(url)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5'])
    expect(fixedPart(await refused.text())).toBe('{"detail":"Rate limit exceeded"}')
    streams[0]!.close()
    await until('a place is free', async () => {
      const stream = await openStream(url)
      streams.push(stream)
      return stream.status === 200
    })
    await node.close()
    await Promise.all(streams.map(({ ended }) => ended))
  })

  test('a quiet stream is kept alive, and closing the node ends it at once', async () => {
    const node = await openNode()
    const { public_id } = await market.newConfig(shop)
    const url = `${node.url}/v1/pay/${public_id}/live?payer=${payerAt(0)}`
    const stream = await openStream(url)
    await until('the first beat', async () => stream.beats > 0)
    const began = performance.now()
    await node.close()
    await stream.ended
    expect(performance.now() - began).toBeLessThan(5_000)
  })
})
