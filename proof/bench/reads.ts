import type { Figure } from './report.ts'
import type { Variant } from './rounds.ts'
import { startPlain, type World } from './world.ts'

const CONNECTIONS = 64
const ORDERS_EACH = 1_000

const account = 'GET /account'
const openOrder = 'GET /order/{id}, open'
const finalOrder = 'GET /order/{id}, final'
const bareAccount = 'bare Fastify, the same account'
const bareOpen = 'bare Fastify, the same open order'
const bareFinal = 'bare Fastify, the same final order'
const plainAccount = 'plain service, GET /account'
const plainOpen = 'plain service, GET /order/{id}, open'
const plainFinal = 'plain service, GET /order/{id}, final'

/** All of them stay connected to the database, also while one is measured alone. */
const PROCESSES = 3
const together = (name: string) => `${name}, ${PROCESSES} processes together`

// No target against bare Fastify: it does not confirm balances and open orders in the database.
export const readFigures: Figure[] = [
  { figure: account, of: account, baseline: plainAccount, value: 'perSecond', must: 2, aim: 3 },
  { figure: openOrder, of: openOrder, baseline: plainOpen, value: 'perSecond', must: 2, aim: 3 },
  { figure: finalOrder, of: finalOrder, baseline: plainFinal, value: 'perSecond', must: 3, aim: 4 },
  ...[account, openOrder, finalOrder].map((of): Figure => {
    const figure = together(of)
    return { figure, of: figure, baseline: of, value: 'perSecond', must: 0.95 }
  }),
  { figure: account, of: account, baseline: bareAccount, value: 'perSecond' },
  { figure: openOrder, of: openOrder, baseline: bareOpen, value: 'perSecond' },
  { figure: finalOrder, of: finalOrder, baseline: bareFinal, value: 'perSecond' },
]

type Target = { path: string; key: string }

type Sides = {
  /**
   * The service, a bare Fastify that sends the same, and the plain service, with the same requests.
   */
  app(name: string, targets: Target[]): Variant
  /** Three processes of the service, called in turn. */
  apps(name: string, targets: Target[]): Variant
  bare(name: string, path: string): Variant
  plain(name: string, targets: Target[]): Variant
}

export async function readVariants(world: World): Promise<Variant[]> {
  const open = await buyOrders(world)
  const final = await buyOrders(world)
  await complete(world, final)
  const accounts = accountTargets(world)
  const { app, apps, bare, plain } = await openSides(world, {
    '/account': accounts,
    '/open': open,
    '/final': final,
  })
  return [
    app(account, accounts),
    app(openOrder, open),
    app(finalOrder, final),
    apps(together(account), accounts),
    apps(together(openOrder), open),
    apps(together(finalOrder), final),
    plain(plainAccount, accounts),
    plain(plainOpen, open),
    plain(plainFinal, final),
    bare(bareAccount, '/account'),
    bare(bareOpen, '/open'),
    bare(bareFinal, '/final'),
  ]
}

const accountTargets = ({ accounts }: World): Target[] =>
  accounts.map(({ key }) => ({ path: '/v1/account', key }))

async function openSides(world: World, asked: Record<string, Target[]>): Promise<Sides> {
  const answers: Record<string, unknown> = {}
  for (const [path, [first]] of Object.entries(asked)) answers[path] = await read(world, first!)
  const program = await world.start<{ url: string }>('bareProgram.ts', [JSON.stringify(answers)])
  const plainService = await startPlain(world, 1n)
  const urls = [world.appUrl]
  while (urls.length < PROCESSES) urls.push(await world.startAnother())
  const variant = (name: string, at: string[], server: number, targets: Target[]): Variant => ({
    name,
    server,
    run: (seconds) =>
      world.load({
        ports: at.map((url) => Number(new URL(url).port)),
        connections: CONNECTIONS,
        seconds,
        requests: { kind: 'get', targets },
      }),
  })
  return {
    app: (name, targets) => variant(name, [world.appUrl], world.appPid, targets),
    apps: (name, targets) => variant(name, urls, world.appPid, targets),
    plain: (name, targets) => variant(name, [plainService.url], plainService.pid, targets),
    bare(name, path) {
      // The same header is sent, so that both parse the same request.
      const targets = world.accounts.map(({ key }) => ({ path, key }))
      return variant(name, [program.ready.url], program.pid, targets)
    },
  }
}

async function read({ appUrl }: World, { path, key }: Target): Promise<unknown> {
  const answer = await fetch(appUrl + path, { headers: { 'x-api-key': key } })
  if (answer.status !== 200) throw new Error(`${path}: ${await answer.text()}`)
  return answer.json()
}

/** One order for each of as many accounts. */
async function buyOrders({ appUrl, accounts, receivers }: World): Promise<Target[]> {
  const body = JSON.stringify({ receiver_address: receivers[0], resource_amount: 65_000 })
  return Promise.all(
    accounts.slice(0, ORDERS_EACH).map(async ({ key }) => {
      const headers = { 'x-api-key': key, 'content-type': 'application/json' }
      const answer = await fetch(`${appUrl}/v1/buy`, { method: 'POST', headers, body })
      if (answer.status !== 200) throw new Error(await answer.text())
      const { order_id } = (await answer.json()) as { order_id: string }
      return { path: `/v1/order/${order_id}`, key }
    }),
  )
}

/** Moves orders through the allowed states without a delivery: only reading them is measured. */
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
