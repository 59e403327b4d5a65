import { type Route, routes, sandboxRoutes } from '@ergon/contract'
import { toBase58 } from '@ergon/tron'
import type { Asked } from '../../web/index.ts'
import type { Coverage } from './autoenergy.ts'
import { SANDBOX_STEPS } from './exampleSandboxCalls.ts'
import type { Answer, Known, Scene, Step } from './exampleStep.ts'
import { SOLID_LAG } from './solidLag.ts'
import { until } from './until.ts'

type Send = (route: Route, asked: Asked) => Promise<Answer>

const inPath = (name: string) => (known: Known) => ({ params: { [name]: known[name]! } })
const one = (name: string) => (known: Known) => ({ params: { id: known[name]! } })

const dayOf = (at: Date) => `${at.toISOString().slice(0, 10)}T00:00:00Z`

/** Every call once, in an order in which each finds what it needs. */
const STEPS: Step[] = [
  { name: 'getAccount' },
  { name: 'getEstimate', ask: () => ({ query: { resource_amount: 65_000 } }) },
  { name: 'postQuote', ask: () => ({ body: { resource_amount: 65_000 } }) },
  {
    name: 'postBuy',
    ask: ({ receiver }) => ({
      headers: { 'Idempotency-Key': 'order-4711' },
      body: { receiver_address: receiver, resource_amount: 65_000 },
    }),
    after: async (answer, known, { coverage, account }) => {
      known.id = answer.order_id ?? answer.id
      known.order_id = known.id!
      await until('the order', async () => {
        coverage.mine()
        return (await coverage.get(account, `/order/${known.id}`)).body.status === 'COMPLETED'
      })
    },
  },
  {
    name: 'postBuyBatch',
    ask: ({ receiver, address }) => ({
      body: {
        purchases: [receiver, address].map((receiver_address, nth) => ({
          idempotency_key: `payroll-${nth + 1}`,
          receiver_address,
          resource_amount: 65_000,
        })),
        mode: 'all',
      },
    }),
  },
  { name: 'getOrder', ask: inPath('id') },
  { name: 'getOrders', ask: () => ({ query: { page_size: 10 } }) },
  { name: 'getTransactions', ask: () => ({ query: { limit: 10 } }) },
  { name: 'getEvents', ask: () => ({ query: { limit: 2 } }) },
  { name: 'getDeposits', ask: () => ({ query: { limit: 10 } }) },
  {
    name: 'postSubscription',
    ask: ({ address }) => ({ body: { address, idle_hours: 48 } }),
    after: (_answer, _known, scene) => becomes(scene, 'active'),
  },
  {
    name: 'postSubscriptionBatch',
    ask: ({ address, receiver }) => ({
      body: { subscriptions: [address, receiver].map((one) => ({ address: one, idle_hours: 48 })) },
    }),
  },
  { name: 'getSubscriptions' },
  { name: 'getSubscription', ask: inPath('address') },
  { name: 'getSubscriptionUsage', ask: inPath('address') },
  { name: 'getSubscriptionBilling', ask: inPath('address') },
  {
    name: 'postSubscriptionClose',
    ask: inPath('address'),
    after: (_a, _k, scene) => closed(scene),
  },
  {
    name: 'postSubscriptionReactivate',
    ask: inPath('address'),
    after: async (_answer, _known, scene) => {
      const { coverage, account, wallet } = scene
      await becomes(scene, 'active')
      await coverage.act(account, wallet, 'close')
      await closed(scene)
    },
  },
  { name: 'deleteSubscription', ask: inPath('address') },
  {
    name: 'postWebhook',
    ask: ({ url }) => ({ body: { name: 'shop', url, events: { 'balance.low': true } } }),
    after: ({ id }, known) => {
      known.hook = id
    },
  },
  { name: 'getWebhooks' },
  {
    name: 'patchWebhook',
    ask: ({ hook }) => ({ params: { id: hook! }, body: { name: 'shop, new server' } }),
  },
  {
    name: 'postWebhookTest',
    ask: one('hook'),
    after: async (_answer, known, { coverage, account }) => {
      const path = `/webhooks/${known.hook}/deliveries`
      await until('the delivery', async () => {
        const [first] = (await coverage.get(account, path)).body.deliveries
        known.delivery_id = first?.id
        return first !== undefined
      })
    },
  },
  { name: 'getWebhookDeliveries', ask: one('hook') },
  {
    name: 'postWebhookResend',
    ask: ({ hook, delivery_id }) => ({ params: { id: hook!, delivery_id: delivery_id! } }),
  },
  {
    name: 'postWebhookReplay',
    ask: ({ hook }) => ({
      params: { id: hook! },
      body: { from: dayOf(new Date()), types: ['order.status_changed'] },
    }),
  },
  {
    name: 'postWebhookRotate',
    ask: ({ hook }) => ({ params: { id: hook! }, body: { overlap_hours: 24 } }),
  },
  { name: 'deleteWebhook', ask: one('hook') },
  { name: 'getAgentSummary' },
  { name: 'getAgentQuote', ask: () => ({ query: { energy: 65_000 } }) },
  {
    name: 'postAgentConfig',
    ask: ({ shop }) => ({
      body: {
        mode: 'own',
        address: shop,
        title: 'Energy for USDT',
        energy_per_unit: 65_000,
        base_payment_sun: 12_000_000,
        max_units: 3,
      },
    }),
    after: ({ id, public_id }, known) => Object.assign(known, { config: id, public_id }),
  },
  { name: 'getAgentConfigs' },
  {
    name: 'patchAgentConfig',
    ask: ({ config }) => ({ params: { id: config! }, body: { max_units: 5 } }),
  },
  { name: 'getAgentPayments' },
  { name: 'getPublicPricing' },
  {
    name: 'getPublicEnergy',
    ask: ({ address, receiver }) => ({ query: { from: address!, to: receiver! } }),
  },
  {
    name: 'getPublicProof',
    ask: inPath('order_id'),
    after: async (_answer, known, { coverage, wallet }) => {
      known.txid = await wallet.sendUsdt(known.receiver!)
      coverage.mine()
    },
  },
  { name: 'getPublicScorecard' },
  { name: 'getPublicStatus' },
  { name: 'getPublicTransfer', ask: inPath('txid') },
  { name: 'getPay', ask: inPath('public_id') },
  {
    name: 'getPayCheck',
    ask: ({ public_id, receiver }) => ({
      params: { public_id: public_id! },
      query: { address: receiver! },
    }),
  },
  {
    name: 'postAgentPause',
    ask: one('config'),
    after: async (_answer, known, { coverage, account }) => {
      const body = { from: coverage.receivers.at(-1), to: known.shop, amount_sun: 12_000_000 }
      await coverage.call('POST', '/sandbox/chain/transfer', { body })
      await until('a payment is skipped for good', async () => {
        coverage.mine()
        const [row] = await coverage.database.sql<{ id: string }>(
          `select id from agent.payment where account_id = $1 and skip_reason = 'paused' and final_at is not null`,
          [account.account_id],
        )
        known.payment = row?.id ?? ''
        return row !== undefined
      })
    },
  },
  { name: 'postAgentDeliver', ask: one('payment') },
  { name: 'postAgentResume', ask: one('config') },
  { name: 'postSandboxAdminPause', ask: one('config') },
  { name: 'deleteAgentConfig', ask: one('config') },
  ...SANDBOX_STEPS,
]

/** A client with a confirmed deposit, a wallet to cover, and a receiver of webhooks. */
export async function openScene(coverage: Coverage, shop: string): Promise<Scene> {
  const account = await coverage.fundedAccount('1000')
  const wallet = coverage.wallet()
  coverage.mine(SOLID_LAG + 1)
  await until('the deposit is final', async () => {
    const [deposit] = (await coverage.get(account, '/deposits')).body.deposits
    return deposit.verified_at !== null
  })
  const { url } = (await coverage.call('POST', '/sandbox/webhook-sink')).body
  const receiver = coverage.receivers.at(-2)!
  const funded = toBase58(coverage.devnet.chain.network.funded[0]!.address)
  const { address } = wallet
  const known = { url, receiver, shop, address, funded }
  return { coverage, account, wallet, known }
}

const CALLS = [...routes, ...sandboxRoutes]

/** Makes every call of the scene through `send`, and gives back what was asked. */
export async function playScene(scene: Scene, send: Send): Promise<Map<string, Asked>> {
  const made = new Map<string, Asked>()
  for (const { name, ask, after } of STEPS) {
    const route = CALLS.find((one) => one.name === name)!
    const asked = ask?.(scene.known) ?? {}
    made.set(name, asked)
    // Not within the call below, which is skipped where there is no `after`.
    const answer = await send(route, asked)
    await after?.(answer, scene.known, scene)
  }
  return made
}

const becomes = ({ coverage, account, wallet }: Scene, status: string) =>
  coverage.become(account, wallet, { status })

async function closed(scene: Scene) {
  await becomes(scene, 'closed')
  await scene.coverage.reclaimed(scene.wallet)
}
