// Proves: http, identity, account, orders, agent, autoenergy, webhooks, chat.
import { routes as clientRoutes, type Route, workspaceRoutes } from '@ergon/contract'
import { toBase58 } from '@ergon/tron'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Answer, openTestApp, type TestAccount } from '../testing/app.ts'
import { linkChat, telegramOf } from '../testing/chat.ts'
import { addPasskey, openDevice } from '../testing/passkey.ts'
import { until } from '../testing/until.ts'
import { accountOf, anotherSession, PASSWORD, signUp, type Visitor } from '../testing/visitor.ts'
import { openDevnet } from '../testing/world.ts'
import { matrix, type World } from './foreignObjects.ts'

// Nobody reads or changes what belongs to another account. Every route of the client API and of the
// workspace has a row here, tried on each mount that has it; a new route without one fails the
// first test.

const routes: readonly Route[] = [...clientRoutes, ...workspaceRoutes]
type Mount = '/v1' | '/app/v1'
const mountsOf = ({ auth }: Route): Mount[] =>
  auth === 'both' ? ['/v1', '/app/v1'] : auth === 'session' ? ['/app/v1'] : ['/v1']

let world: World

beforeAll(async () => {
  const devnet = await openDevnet()
  const app = await openTestApp({ devnet, chat: telegramOf(devnet) })
  const [visitorOfA, visitorOfB] = [await signUp(app.url), await signUp(app.url)]
  const a = await accountOf(app, visitorOfA)
  const b = await accountOf(app, visitorOfB)
  app.devnet.chain.mine()
  const receiver = toBase58(app.devnet.chain.network.funded[3]!.address)
  const orderOf = async ({ api_key: key }: TestAccount) => {
    await until('the credit', async () => {
      const { body } = await app.call('GET', '/v1/account', { key })
      return body.balance_trx === '50'
    })
    const bought = await until('a purchase', async () => {
      const body = { receiver_address: receiver, resource_amount: 65_000 }
      const answer = await app.call('POST', '/v1/buy', { key, body })
      return answer.status === 200 && answer
    })
    return bought.body.order_id as string
  }
  // An offer without a signer, so that orders are accepted and nothing is delivered.
  await app.rooms.providers.change('own_stake', { unitPrice: 15n })
  await app.database.sql(
    `insert into providers.offer values ('own_stake', 15, 500000000, 'infinity') on conflict (provider) do update set capacity_energy = 500000000, seen_at = 'infinity'`,
  )
  /** Activates by hand: without a signer no Energy would arrive. */
  const coverOf = async ({ account_id, api_key: key }: TestAccount, index: number) => {
    const address = toBase58(app.devnet.chain.network.funded[index]!.address)
    await until('a subscription', async () => {
      const body = { address }
      return (await app.call('POST', '/v1/autoenergy/subscriptions', { key, body })).status === 201
    })
    await app.database.sql(
      `update autoenergy.subscription set status = 'active', activated_at = created_at,
              paid_until = created_at + interval '1 day' where account_id = $1`,
      [account_id],
    )
    return address
  }
  const cursorOf = async ({ api_key: key }: TestAccount) =>
    (await app.call('GET', '/v1/transactions?limit=1', { key })).body.next_cursor as string
  const feedOf = async ({ api_key: key }: TestAccount) =>
    (await app.call('GET', '/v1/events', { key })).body.next_cursor as string
  const agentTerms = { min_balance_sun: 0 }
  await app.call('POST', '/sandbox/settings', { body: agentTerms })
  const configOf = async ({ api_key: key }: TestAccount) => {
    const offer = { energy_per_unit: 65_000, base_payment_sun: 9_000_000, max_units: 2 }
    const body = { mode: 'generated', ...offer }
    return (await app.call('POST', '/v1/agent/configs', { key, body })).body.id as string
  }
  const orderOfA = await orderOf(a)
  const orderOfB = await orderOf(b)
  const coveredByA = await coverOf(a, 4)
  const coveredByB = await coverOf(b, 5)
  const checkoutOf = async (visitor: Visitor) => {
    const body = { receiver_address: receiver, resource_amount: 65_000 }
    return (await visitor.call('POST', '/checkouts', body)).body.id as string
  }
  const webhookOf = async ({ api_key: key }: TestAccount) => {
    const { url } = (await app.call('POST', '/sandbox/webhook-sink')).body
    const body = { name: 'w', url }
    const { id } = (await app.call('POST', '/v1/webhooks', { key, body })).body
    const sent = await app.call('POST', `/v1/webhooks/${id}/test`, { key })
    return [id, sent.body.delivery_id] as [string, string]
  }
  const [webhookOfA, deliveryOfA] = await webhookOf(a)
  const [webhookOfB, deliveryOfB] = await webhookOf(b)
  const sessions = [await anotherSession(app, visitorOfA), await anotherSession(app, visitorOfB)]
  const passkeyOf = async (visitor: Visitor) =>
    (await addPasskey(visitor, openDevice(app.url), PASSWORD)).id
  world = {
    app,
    a,
    b,
    receiver,
    coveredByA,
    coveredByB,
    visitorOfB,
    checkoutOfA: await checkoutOf(visitorOfA),
    checkoutOfB: await checkoutOf(visitorOfB),
    keyOfA: (await visitorOfA.call('POST', '/keys')).body.id,
    keyOfB: (await visitorOfB.call('POST', '/keys')).body.id,
    sessionOfA: sessions[0]!,
    sessionOfB: sessions[1]!,
    passkeyOfA: await passkeyOf(visitorOfA),
    passkeyOfB: await passkeyOf(visitorOfB),
    orderOfA,
    orderOfB,
    cursorOfA: await cursorOf(a),
    cursorOfB: await cursorOf(b),
    feedOfA: await feedOf(a),
    feedOfB: await feedOf(b),
    configOfA: await configOf(a),
    configOfB: await configOf(b),
    chatOfA: await linkChat(app, visitorOfA, '1'),
    chatOfB: await linkChat(app, visitorOfB, '2'),
    webhookOfA,
    webhookOfB,
    deliveryOfA,
    deliveryOfB,
  }
})
afterAll(async () => {
  await world?.app.close()
  await world?.app.devnet.close()
})

const asB = (method: string, path: string, mount: Mount = '/v1', given?: unknown) => {
  const body = given ?? (method === 'PATCH' ? { title: 'mine' } : undefined)
  return mount === '/v1'
    ? world.app.call(method, `/v1${path}`, { key: world.b.api_key, body })
    : world.visitorOfB.call(method, path, body)
}

/** Everything a caller can compare, without what differs between any two answers. */
function visible({ status, text, headers }: Answer) {
  const changing = ['date', 'x-request-id', 'x-server-time']
  const kept = [...headers].filter(([name]) => !changing.includes(name))
  return { status, text, headers: kept }
}

test('every route of the client API has a row in the matrix', () => {
  const missing = routes.filter((route: Route) => !(route.name in matrix)).map(({ name }) => name)
  expect(missing).toEqual([])
})

for (const route of routes) {
  const row = matrix[route.name]
  if (typeof row !== 'function') continue
  const { method } = route
  for (const mount of mountsOf(route)) {
    test(`${method} ${mount}${route.path}: somebody else's looks exactly like nobody's`, async () => {
      const { mine, foreign, absent, changes, body } = row(world)
      const ask = (path: string) => asB(method, path, mount, body)
      const refused = visible(await ask(foreign))
      expect(refused.status).toBeGreaterThanOrEqual(400)
      for (const path of absent) expect(visible(await ask(path))).toEqual(refused)
      // The owner's answer depends on what earlier rows did to the object; the first mount may have
      // deleted it.
      if (mine === undefined) return
      const own = (await ask(mine)).status
      const gone = mount === '/app/v1' && route.auth === 'both' ? [404] : []
      expect(changes ? [200, 204, 409, ...gone] : [200, 204]).toContain(own)
    })
  }
}

test('lists hold what is mine and nothing else', async () => {
  const { orderOfA, configOfA, keyOfA, sessionOfA, coveredByA, webhookOfA, chatOfA, a } = world
  const named = [orderOfA, configOfA, keyOfA, sessionOfA, coveredByA, webhookOfA, chatOfA]
  const ofAlone = [...named, world.passkeyOfA, a.deposit_address]
  for (const route of routes.filter(({ name }) => matrix[name] === 'list')) {
    for (const mount of mountsOf(route)) {
      const { status, text } = await asB('GET', route.path, mount)
      expect(status).toBe(200)
      for (const thing of ofAlone) expect(text, route.name).not.toContain(thing)
    }
  }
  const filtered = await asB('GET', `/agent/payments?config_id=${world.configOfA}`)
  expect([filtered.status, filtered.body.items]).toEqual([200, []])
  const { body } = await asB('GET', '/orders')
  const ids = body.orders.map((order: { id: string }) => order.id)
  expect(ids).toEqual([world.checkoutOfB, world.orderOfB])
  const deposits = (await asB('GET', '/deposits')).body.deposits
  const ofA = (await world.app.call('GET', '/v1/deposits', { key: world.a.api_key })).body.deposits
  expect(deposits).toHaveLength(1)
  expect(deposits[0].tx_hash).not.toBe(ofA[0].tx_hash)
})

test('looking at what is not mine changes nothing, not even the rate budget of its owner', async () => {
  const count = () =>
    world.app.database.sql(`
      select (select count(*) from ledger.movement) as movements, (select count(*) from events.event) as events,
             (select count(*) from webhooks.delivery) as deliveries,
             (select array_agg(concat_ws(' ', e.id, e.name, e.url, e.status, e.secret) order by e.id) from webhooks.endpoint e) as webhooks,
             (select count(*) from orders.idempotency_key) as keys, (select count(*) from better_auth."session") as sessions,
             (select array_agg(k.name order by k.id) from identity.passkey k) as passkeys,
             (select count(*) from identity.api_key where revoked_at is null) as live, (select count(*) from agent.config_version) as configs,
             (select sum(version) from ledger.account) as versions`)
  const before = await count()
  for (const route of routes) {
    const row = matrix[route.name]
    if (typeof row !== 'function') continue
    const { foreign, body } = row(world)
    for (const mount of mountsOf(route)) await asB(route.method, foreign, mount, body)
  }
  expect(await count()).toEqual(before)
})
