import type { Figure } from './report.ts'
import type { Variant } from './rounds.ts'
import type { World } from './world.ts'

const CONNECTIONS = 64
const ORDERS_EACH = 1_000

const account = 'GET /account'
const openOrder = 'GET /order/{id}, open'
const finalOrder = 'GET /order/{id}, final'
const bareAccount = 'bare Fastify, the same account'
const bareOpen = 'bare Fastify, the same open order'
const bareFinal = 'bare Fastify, the same final order'

export const readFigures: Figure[] = [
  { figure: account, of: account, baseline: bareAccount, value: 'perSecond', must: 0.85, aim: 0.9 },
  { figure: openOrder, of: openOrder, baseline: bareOpen, value: 'perSecond', must: 0.6, aim: 0.7 },
  {
    figure: finalOrder,
    of: finalOrder,
    baseline: bareFinal,
    value: 'perSecond',
    must: 0.8,
    aim: 0.9,
  },
]

type Target = { path: string; key: string }

export async function readVariants(world: World): Promise<Variant[]> {
  const open = await buyOrders(world)
  const final = await buyOrders(world)
  await complete(world, final)
  const accounts = world.accounts.map(({ key }) => ({ path: '/v1/account', key }))
  const housePort = Number(new URL(world.houseUrl).port)
  const bare: Record<string, unknown> = {}
  for (const [path, [first]] of Object.entries({
    '/account': accounts,
    '/open': open,
    '/final': final,
  })) {
    bare[path] = await read(world, first!)
  }
  const bareProgram = await world.start<{ url: string }>('bareProgram.ts', [JSON.stringify(bare)])
  const barePort = Number(new URL(bareProgram.ready.url).port)
  const variant = (name: string, port: number, targets: Target[]): Variant => ({
    name,
    server: port === housePort ? world.housePid : bareProgram.pid,
    run: (seconds) =>
      world.load({ port, connections: CONNECTIONS, seconds, requests: { kind: 'get', targets } }),
  })
  // The same header goes along, so that both parse the same request.
  const at = (path: string) => world.accounts.map(({ key }) => ({ path, key }))
  return [
    variant(account, housePort, accounts),
    variant(openOrder, housePort, open),
    variant(finalOrder, housePort, final),
    variant(bareAccount, barePort, at('/account')),
    variant(bareOpen, barePort, at('/open')),
    variant(bareFinal, barePort, at('/final')),
  ]
}

async function read({ houseUrl }: World, { path, key }: Target): Promise<unknown> {
  const answer = await fetch(houseUrl + path, { headers: { 'x-api-key': key } })
  if (answer.status !== 200) throw new Error(`${path}: ${await answer.text()}`)
  return answer.json()
}

/** One order for each of as many accounts. */
async function buyOrders({ houseUrl, accounts, receivers }: World): Promise<Target[]> {
  const body = JSON.stringify({ receiver_address: receivers[0], resource_amount: 65_000 })
  return Promise.all(
    accounts.slice(0, ORDERS_EACH).map(async ({ key }) => {
      const headers = { 'x-api-key': key, 'content-type': 'application/json' }
      const answer = await fetch(`${houseUrl}/v1/buy`, { method: 'POST', headers, body })
      if (answer.status !== 200) throw new Error(await answer.text())
      const { order_id } = (await answer.json()) as { order_id: string }
      return { path: `/v1/order/${order_id}`, key }
    }),
  )
}

/** Along the states that are allowed, without a delivery: only reading them is measured. */
async function complete({ admin }: World, orders: Target[]) {
  const ids = orders.map(({ path }) => path.split('/').at(-1))
  const txid = 'a'.repeat(64)
  await admin.query(`update orders.purchase_order set status = 'PROCESSING' where id = any ($1)`, [
    ids,
  ])
  await admin.query(
    `update orders.purchase_order
        set status = 'COMPLETED', completed_at = now(), updated_at = now(), delegation_txids = array[$2]
      where id = any ($1)`,
    [ids, txid],
  )
}
