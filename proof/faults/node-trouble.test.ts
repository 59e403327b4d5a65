// Proves: chain, orders, autoenergy, pricing.
import { toBase58 } from '@ergon/tron'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createLog } from '../../service/kernel/index.ts'
import { type Answer, openTestApp, type TestAccount, type TestApp } from '../testing/app.ts'
import { type Market, openMarket } from '../testing/market.ts'
import { type Levers, type NodeLike, openNodeLike } from '../testing/nodeLike.ts'
import { until } from '../testing/until.ts'
import { openDevnet } from '../testing/world.ts'

// Trouble with the node is told as such, and never as a mistake of the client.

const BLOCK_MS = 300
const lines: string[] = []
const log = createLog('warn', { write: (line) => void lines.push(line) })
let devnet: Awaited<ReturnType<typeof openDevnet>>
let node: NodeLike
let market: Market
let client: TestAccount
beforeAll(async () => {
  devnet = await openDevnet({ blockMs: BLOCK_MS })
  node = await openNodeLike(devnet.url)
  market = await openMarket({ devnet, nodeUrls: [node.url], blockMs: BLOCK_MS, log })
  client = await market.fundedAccount('500')
})
afterAll(async () => {
  await market.close()
  await node.close()
  await devnet.close()
})
afterEach(() => {
  Object.assign(node.levers, { isSlow: false, isBusy: false, behindMs: 0, isDuplicate: false })
})

type Caller = Pick<TestApp, 'call'>
const NOBODY = 'TQn9Y2khEsLJW1ChVWFMSMeRDow5KcbLSE'
const wallet = (place: number) => toBase58(devnet.chain.network.funded[place]!.address)

function energy({ call }: Caller, from: string, to: string, token?: string): Promise<Answer> {
  const query = new URLSearchParams({ from, to, ...(token && { token }) })
  return call('GET', `/v1/public/energy?${query}`)
}
const buyFor = ({ call }: Caller, receiver: string) =>
  call('POST', '/v1/buy', {
    key: client.api_key,
    body: { receiver_address: receiver, resource_amount: 65_000 },
  })
const subscribe = ({ call }: Caller, address: string) =>
  call('POST', '/v1/autoenergy/subscriptions', { key: client.api_key, body: { address } })

/** A node that is well would say no to each of them. */
const estimates: Record<string, (app: Caller) => Promise<Answer>> = {
  'an estimate for a sender without tokens': (app) => energy(app, NOBODY, wallet(1)),
  'an estimate for a token that is none': (app) => energy(app, wallet(0), wallet(1), wallet(2)),
}
const others: typeof estimates = {
  'a purchase for an address not on the chain': (app) => buyFor(app, NOBODY),
  'a subscription for it': (app) => subscribe(app, NOBODY),
}

/** A further process for HTTP, which knows nothing of the node yet. */
async function inNewProcess(nodeUrls: string[], work: (app: TestApp) => Promise<void>) {
  const { database } = market
  const app = await openTestApp({ database, devnet, nodeUrls, blockMs: BLOCK_MS, role: 'api' })
  try {
    await work(app)
  } finally {
    await app.close()
  }
}

test('a node that is well refuses what cannot be', async () => {
  for (const ask of Object.values(estimates)) expect((await ask(market)).status).toBe(400)
  expect((await subscribe(market, NOBODY)).status).toBe(422)
})

const isTrouble = expect.toSatisfy((status: number) => [200, 502, 503].includes(status))

test.each<[string, Partial<Levers>, typeof estimates]>([
  ['is busy', { isBusy: true }, { ...estimates, ...others }],
  ['syncs', { behindMs: 600_000 }, { ...estimates, ...others }],
  ['runs no constant call in time', { isSlow: true }, estimates],
])('a node that %s is no mistake of the client', async (_what, levers, questions) => {
  Object.assign(node.levers, levers)
  await inNewProcess([node.url], async (app) => {
    for (const [name, ask] of Object.entries(questions)) {
      const { status, text } = await ask(app)
      expect([name, status, text]).toEqual([name, isTrouble, text])
    }
  })
})

test('nor is a page of HTML with status 405', () =>
  inNewProcess([node.solidityUrl], async (app) => {
    const estimate = await energy(app, wallet(0), wallet(1))
    expect([estimate.status, estimate.body.detail.error]).toEqual([503, 'service_unavailable'])
    expect((await subscribe(app, NOBODY)).status).toBe(502)
  }))

test('an estimate comes from the table of classes while the node runs no call in time', async () => {
  // What was last seen of the head is believed for ten seconds, and it was old.
  const known = await until('a fresh head', async () => {
    const { body } = await energy(market, wallet(0), wallet(1))
    return body.energy_source === 'chain' && body
  })
  expect(known.energy).toBe(64_285)
  node.levers.isSlow = true
  const { status, body } = await energy(market, wallet(0), wallet(1))
  expect([status, body]).toMatchObject([
    200,
    { energy: 131_000, energy_class: '131k', energy_source: 'table', receiver_activated: true },
  ])
  const other = await energy(market, wallet(0), wallet(1), wallet(2))
  expect([other.status, other.body.detail.error]).toEqual([503, 'service_unavailable'])
})

test('an order is delivered, and nothing warned of, when its bytes are called a duplicate', async () => {
  node.levers.isDuplicate = true
  const order_id = await until(
    'selling again',
    async () => (await market.buy(client)).body.order_id,
  )
  await until('it is delivered', async () => {
    const { body } = await market.get(client, `/order/${order_id}`)
    return body.status === 'COMPLETED'
  })
  expect(lines.filter((line) => line.includes('DUP_TRANSACTION_ERROR'))).toEqual([])
})
