// Proves: agent, orders, ledger.
import { decodeTransaction, toBase58 } from '@ergon/tron'
import { expect, test } from 'vitest'
import { BASE, offer } from '../testing/agent.ts'
import { brokenInvariants } from '../testing/invariants.ts'
import { stretched } from '../testing/stretched.ts'
import { dieEverywhere, patient } from './manyDeaths.ts'
import { ask, type World } from './mortalWorld.ts'

// A client asks for a payment that was skipped, again and again, as one whose answer is lost does. A process is killed
// before and after the commit of the sale, and at every commit until the Energy is delivered. It is sold once.

const DEPOSIT = 200_000_000
const PLACES =
  /^committed after (agent\.|ledger\.|events\.|orders\.(?!find|read|list))|^(agent\.lockDeliverable|orders\.sellOne|agent\.deliverPayment|events\.emitMany)$/
const SECONDS_OF_DEATH = 16

async function live(world: World): Promise<void> {
  const { become, mineUntil, control, arm } = patient(world, SECONDS_OF_DEATH)
  const [payer, customer] = world.devnet.chain.network.funded.map(({ address }) =>
    toBase58(address),
  )
  const { api_key: key, deposit_address } = await ask(world, 'POST', '/sandbox/accounts', {
    body: {},
  })
  const transfer = (from: string, to: string, amount: number) =>
    control('transfer', { from, to, amount_sun: `${amount}` })
  await transfer(payer!, deposit_address!, DEPOSIT)
  await mineUntil('the credit', `select from ledger.account where balance_sun = ${DEPOSIT}`)
  await become('an offer', async () => {
    const path = '/v1/estimate?resource_amount=65000'
    return (await ask(world, 'GET', path, { key })).total_price_sun !== undefined
  })
  const wish = { mode: 'generated', ...offer }
  const { id, address } = await ask(world, 'POST', '/v1/agent/configs', { key, body: wish })
  await ask(world, 'POST', `/v1/agent/configs/${id}/pause`, { key })
  await transfer(customer!, address!, BASE)
  await mineUntil(
    'a skipped payment that is final',
    `select from agent.payment where status = 'skipped' and final_at is not null`,
  )
  const [payment] = await world.database.sql<{ id: string }>('select id from agent.payment')
  arm()

  const path = `/v1/agent/payments/${payment!.id}/deliver`
  const deliver = async () => {
    const headers = { 'x-api-key': String(key) }
    const answer = await fetch(world.children.app.url + path, { method: 'POST', headers })
    return answer.status
  }
  // Twice at once, until both say that there is nothing more to sell.
  await become('it is sold', async () => {
    const asked = await Promise.all([deliver(), deliver()].map((one) => one.catch(() => 0)))
    return asked.every((status) => status === 409)
  })
  await mineUntil('delivered', `select from agent.payment where status = 'completed'`)
  expect(await become('an answer', () => deliver().catch(() => 0))).toBe(409)
}

async function check({ database, devnet }: World): Promise<void> {
  expect(await brokenInvariants(database)).toEqual([])
  const payments = await database.sql<{ order: string; cost: number }>(
    `select status, units::int, skip_reason as reason, cost_sun::int as cost, order_id as "order" from agent.payment`,
  )
  const [{ cost, order }] = payments as [{ cost: number; order: string }]
  expect(payments).toMatchObject([{ status: 'completed', units: 1, reason: null }])
  const orders = await database.sql('select id, status from orders.purchase_order')
  expect(orders).toEqual([{ id: order, status: 'COMPLETED' }])
  const entries = await database.sql(
    `select kind, amount_sun::int as amount from ledger.movement where client_id is not null order by version`,
  )
  expect(entries).toEqual([
    { kind: 'deposit', amount: DEPOSIT },
    { kind: 'agent_revenue', amount: BASE },
    { kind: 'agent_charge', amount: cost },
  ])
  const sales = await database.sql(`select from events.event where type = 'agent.sale'`)
  expect(sales).toHaveLength(1)
  // By the chain alone: one delegation.
  const delegated = Array.from({ length: devnet.chain.head.number }, (_, n) =>
    devnet.chain.block(n + 1),
  )
    .flatMap((block) => block!.transactions)
    .filter((bytes) => decodeTransaction(bytes).raw.contract.type === 'DelegateResourceContract')
  expect(delegated).toHaveLength(1)
}

test(
  'kill -9 around the sale of a payment that was skipped, and at every commit after it',
  async () => {
    const deaths = await dieEverywhere(
      { live, check },
      { name: 'Delivery of a skipped payment', places: PLACES, parts: 1 },
    )
    // A slow machine has time for few.
    expect(deaths).toBeGreaterThan(0)
  },
  stretched(1_200_000),
)
