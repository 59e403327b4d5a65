// Proves: webhooks, agent, autoenergy.
import { eventTypes } from '@ergon/contract'
import { toBase58 } from '@ergon/tron'
import { Ajv } from 'ajv'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { BASE, COST_65K, offer } from '../testing/agent.ts'
import { TEST_KEY, type TestAccount } from '../testing/app.ts'
import { type Coverage, openCoverage } from '../testing/autoenergy.ts'
import { flatSchedule } from '../testing/market.ts'
import { openReceiver, type Receiver, testNetwork } from '../testing/receiver.ts'
import { until } from '../testing/until.ts'
import { verified } from '../testing/verifier.ts'

// Events of AutoEnergy and of the agent program, caused by real transfers and received over HTTPS.

let app: Coverage
let receiver: Receiver
let client: TestAccount
let secret: string

beforeAll(async () => {
  receiver = await openReceiver()
  app = await openCoverage({ webhooks: { secretsKey: TEST_KEY, network: testNetwork() } })
  await app.settings({ schedule: flatSchedule(30) })
  client = await app.fundedAccount('200')
  const events = { 'autoenergy.activated': true, 'agent.config_at_risk': true }
  const body = { name: 'all', url: receiver.url('/all'), events }
  const made = await app.call('POST', '/v1/webhooks', { key: client.api_key, body })
  secret = made.body.signing_secret
})
afterAll(async () => {
  await app?.close()
  await receiver?.close()
})

/** The payload of the first event of a type, checked against the contract. */
async function payloadOf(type: keyof typeof eventTypes) {
  const got = await until(type, () => {
    app.mine()
    return receiver.at('/all').find(({ headers }) => headers['x-service-event'] === type)
  })
  const { data, audience } = verified(secret, got)
  expect(audience).toBe('customer')
  const strict = { ...eventTypes[type].data, additionalProperties: false }
  const check = new Ajv({ strict: false, validateFormats: false }).compile(strict)
  expect([check(data), check.errors]).toEqual([true, null])
  return data
}

test('AutoEnergy: activated, a covered transfer, closed', async () => {
  const wallet = app.wallet()
  const { id } = await app.cover(client, wallet, { quota_max_tx: 1 })
  const of = { subscription_id: id, address: wallet.address }
  expect(await payloadOf('autoenergy.activated')).toEqual(of)
  const txid = await wallet.sendUsdt(app.receivers.at(-1)!)
  expect(await payloadOf('autoenergy.delegated')).toEqual({
    ...of,
    energy_class: '65k',
    billed_sun: 2_200_000,
    used_tx_id: txid,
    tx_used_total: 1,
    quota_max_tx: 1,
  })
  const closed = { ...of, close_reason: 'quota', tx_used_total: 1 }
  expect(await payloadOf('autoenergy.closed')).toEqual(closed)
})

test('the agent program: a sale, a payment that is skipped, a price that rises above the base', async () => {
  const title = 'Corner <b>shop</b>'
  const body = { mode: 'generated', ...offer, title }
  const made = await app.call('POST', '/v1/agent/configs', { key: client.api_key, body })
  expect(made.status).toBe(201)
  const { id, public_id, address } = made.body
  const pay = async (funded: number, amount_sun: number) => {
    const payer = toBase58(app.devnet.chain.network.funded[funded]!.address)
    const sent = { from: payer, to: address, amount_sun }
    const { txid } = (await app.call('POST', '/sandbox/chain/transfer', { body: sent })).body
    return { config_id: id, public_id, title, payer, amount_sun, tx_hash: txid }
  }
  const sold = await pay(6, BASE)
  expect(await payloadOf('agent.sale')).toEqual({
    ...sold,
    units: 1,
    energy: 65_000,
    cost_sun: COST_65K,
    order_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
  })
  const small = await pay(7, BASE - 1)
  expect(await payloadOf('agent.payment_skipped')).toEqual({
    ...small,
    reason: 'below_base',
    paused: false,
  })
  await app.settings({ schedule: flatSchedule(60) })
  expect(await payloadOf('agent.config_at_risk')).toEqual({
    config_id: id,
    public_id,
    title,
    energy_per_unit: 65_000,
    base_payment_sun: BASE,
    cost_max_sun: 65_000 * 60,
  })
})
