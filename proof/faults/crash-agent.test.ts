// Proves: agent, ledger.
import { decodeTransaction, toBase58 } from '@ergon/tron'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { BASE, offer } from '../testing/agent.ts'
import { brokenInvariants } from '../testing/invariants.ts'
import { openReceiver, type Receiver } from '../testing/receiver.ts'
import { stretched } from '../testing/stretched.ts'
import { verified } from '../testing/verifier.ts'
import { dieEverywhere, patient } from './manyDeaths.ts'
import { ask, type World } from './mortalWorld.ts'

// A customer's payment to a dedicated address: seen, its revenue credited, sold, delivered, swept,
// and the client notified. A process is killed at every commit of one such run. Each step happens
// once; the event arrives at least once, with one delivery id.

const DEPOSIT = 200_000_000
const PAID = 2.5 * BASE
const SWEEP_MIN = 5_000_000
/** After each commit, and within three transactions, which are then rolled back. */
const PLACES =
  /^committed after (agent\.|deposits\.|ledger\.|events\.|orders\.(?!find|read|list)|chain\.moveCursor|signing\.(?!read)|webhooks\.(?!readReceivers|prune))|^(agent\.insertPayments|agent\.sellPayment|webhooks\.insertDeliveries)$/
const SECONDS_OF_DEATH = 16

let receiver: Receiver
beforeAll(async () => {
  receiver = await openReceiver()
})
afterAll(() => receiver.close())

type Shop = { secret: string; address: string; hook: string }
const shops = new Map<World, Shop>()

async function live(world: World): Promise<void> {
  const { become, mineUntil, control, arm } = patient(world, SECONDS_OF_DEATH)
  const [payer, customer] = world.devnet.chain.network.funded.map(({ address }) =>
    toBase58(address),
  )
  const account = await ask(world, 'POST', '/sandbox/accounts', { body: {} })
  const key = account.api_key
  await control('transfer', {
    from: payer,
    to: account.deposit_address,
    amount_sun: `${DEPOSIT}`,
  })
  await mineUntil('the credit', `select from ledger.account where balance_sun = ${DEPOSIT}`)
  await become('an offer', async () => {
    const path = '/v1/estimate?resource_amount=65000'
    return (await ask(world, 'GET', path, { key })).total_price_sun !== undefined
  })
  const wish = { mode: 'generated', ...offer }
  const { address } = await ask(world, 'POST', '/v1/agent/configs', { key, body: wish })
  const hook = `/${account.account_id}`
  const body = { name: 'sales', url: receiver.url(hook), events: { 'agent.sale': true } }
  const { signing_secret: secret } = await ask(world, 'POST', '/v1/webhooks', { key, body })
  shops.set(world, { secret: secret!, address: address!, hook })
  arm()

  await control('transfer', { from: customer, to: address, amount_sun: `${PAID}` })
  await mineUntil('sold', `select from agent.payment where order_id is not null`)
  await mineUntil('delivered', `select from agent.payment where status = 'completed'`)
  await mineUntil(
    'swept',
    `select from deposits.sweep where address = '${address}' and state = 'booked'`,
  )
  await become('notified', () => receiver.at(hook).some(isSale))
  await mineUntil(
    'the telling is written down',
    `select from webhooks.delivery d join webhooks.message m on m.event_id = d.event_id
      where m.type = 'agent.sale' and d.state = 'delivered'`,
  )
}

function isSale({ headers }: { headers: Record<string, unknown> }): boolean {
  return headers['x-service-event'] === 'agent.sale'
}

async function check(world: World): Promise<void> {
  const { database, devnet } = world
  const { secret, address, hook } = shops.get(world)!
  expect(await brokenInvariants(database)).toEqual([])
  const payments = await database.sql<{ cost: number }>(
    `select status, units::int, energy::int, cost_sun::int as cost from agent.payment`,
  )
  expect(payments).toEqual([
    { status: 'completed', units: 2, energy: 130_000, cost: expect.any(Number) },
  ])
  const entries = await database.sql(
    `select kind, amount_sun::int as amount from ledger.movement where client_id is not null order by version`,
  )
  expect(entries).toEqual([
    { kind: 'deposit', amount: DEPOSIT },
    { kind: 'agent_revenue', amount: PAID },
    { kind: 'agent_charge', amount: payments[0]!.cost },
  ])
  const sales = await database.sql(`select from events.event where type = 'agent.sale'`)
  expect(sales).toHaveLength(1)
  const arrived = receiver.at(hook).filter(isSale)
  for (const got of arrived) expect(verified(secret, got).data.units).toBe(2)
  expect(new Set(arrived.map(({ headers }) => headers['x-service-delivery'])).size).toBe(1)
  // By the chain alone: one delegation, and one transfer from the dedicated address.
  const contracts = Array.from({ length: devnet.chain.head.number }, (_, n) =>
    devnet.chain.block(n + 1),
  )
    .flatMap((block) => block!.transactions)
    .map((bytes) => decodeTransaction(bytes).raw.contract)
  const delegated = contracts.filter(({ type }) => type === 'DelegateResourceContract')
  expect(delegated).toHaveLength(1)
  const swept = contracts.filter(
    ({ type, value }) =>
      type === 'TransferContract' &&
      toBase58((value as { owner_address: string }).owner_address) === address,
  )
  expect(swept).toHaveLength(1)
}

test(
  'kill -9 after every commit of an agent payment, from the transfer to the sweep',
  async () => {
    const deaths = await dieEverywhere(
      { live, check },
      {
        name: 'Agent',
        places: PLACES,
        parts: 4,
        settings: { MORTAL_SWEEP_MIN: String(SWEEP_MIN) },
      },
    )
    // The number of places differs from day to day, and a slow machine has time for few.
    expect(deaths).toBeGreaterThan(0)
  },
  stretched(1_200_000),
)
