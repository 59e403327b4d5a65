// Proves: autoenergy.
import { toBase58, toHex } from '@ergon/tron'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Coverage, openCoverage, type Wallet } from '../testing/autoenergy.ts'
import { brokenInvariants } from '../testing/invariants.ts'
import { until } from '../testing/until.ts'

// A reactivated subscription, a call that is read after the close, and a call whose contract pays a
// part.

const HOUR = 3_600
const PLAN = {
  name: 'short',
  activation_fee_trx: '3',
  daily_sub_trx: '0.5',
  unit_price_65k_trx: '2',
  unit_price_131k_trx: '4',
  term_days: 2,
}

let app: Coverage
beforeAll(async () => {
  app = await openCoverage()
})
afterAll(() => app.close())

const hoursAfter = (moment: string, hours: number) =>
  new Date(new Date(moment).getTime() + hours * HOUR * 1_000).toISOString()

test('reactivated it is pending first; term, idle clock and count begin anew', async () => {
  await app.settings({ plans: [PLAN] })
  const client = await app.fundedAccount('100')
  const wallet = app.wallet()
  const first = await app.cover(client, wallet, { plan: 'short' })
  await wallet.sendUsdt(app.receivers.at(-1)!)
  app.mine()
  await app.become(client, wallet, { tx_used_total: 1 })
  await app.advance(20 * HOUR)
  await app.act(client, wallet, 'close')
  await app.reclaimed(wallet)
  const again = await app.act(client, wallet, 'reactivate')
  expect([again.status, again.body]).toMatchObject([
    200,
    {
      status: 'pending_activation',
      tx_used_total: 0,
      activated_at: null,
      last_activity_at: null,
      expire_at: null,
      closed_at: null,
      close_reason: null,
    },
  ])
  const active = await app.become(client, wallet, { status: 'active' })
  expect(active.id).toBe(first.id)
  expect(active.expire_at).toBe(hoursAfter(active.activated_at, 48))
  // By now the first idle day would be over.
  await app.advance(23 * HOUR)
  await app.rooms.autoenergy.loops[0]!.runOnce()
  expect(await app.read(client, wallet)).toMatchObject({ status: 'active' })
  await app.advance(HOUR + 60)
  const closed = await app.become(client, wallet, { status: 'closed', close_reason: 'idle' })
  expect(closed.closed_at).toBe(hoursAfter(active.activated_at, 24))
})

test('mined before the close and read after it: billed from the reserve', async () => {
  // 3 for the activation and 4 in reserve: there is no other money to pay with.
  const client = await app.fundedAccount('7')
  const wallet = app.wallet()
  await app.cover(client, wallet, { plan: 'short' })
  await app.rooms.chain.scanLoop.stop()
  await wallet.sendUsdt(app.receivers.at(-1)!)
  app.mine()
  const closed = (await app.act(client, wallet, 'close')).body
  expect(closed).toMatchObject({ status: 'closed', close_reason: 'manual', tx_used_total: 0 })
  app.rooms.chain.scanLoop.start()
  await app.become(client, wallet, { tx_used_total: 1, closed_at: closed.closed_at })
  await app.reclaimed(wallet)
  expect(await app.entries(client)).toEqual([
    { kind: 'autoenergy_activate', amount: -3_000_000 },
    { kind: 'autoenergy_unit', amount: -2_000_000 },
  ])
  expect((await app.get(client, '/account')).body).toMatchObject({
    balance_trx: '2',
    reserved_trx: '0',
  })
})

/** A contract whose deployer pays this share of a call's Energy. */
function deploySharing(deployer: string, percent: bigint): string {
  const { network } = app.devnet.chain
  const contracts = network.contracts as Map<string, object>
  const contract = `41${'c0de'.repeat(10)}`
  const sharing = { origin: toHex(deployer), percent }
  contracts.set(contract, { ...contracts.get(network.usdt)!, sharing })
  return contract
}

async function sendThrough({ tronWeb }: Wallet, contract: string): Promise<string> {
  const parameter = [
    { type: 'address', value: app.receivers.at(-1)! },
    { type: 'uint256', value: 1 },
  ]
  const { transaction } = await tronWeb.transactionBuilder.triggerSmartContract(
    toBase58(contract),
    'transfer(address,uint256)',
    { feeLimit: 100_000_000 },
    parameter,
  )
  await tronWeb.trx.sendRawTransaction(await tronWeb.trx.sign(transaction))
  return transaction.txID
}

test('the part of a call that its contract pays for is not counted', async () => {
  const client = await app.fundedAccount('100')
  const deployer = app.receivers.at(-3)!
  const { body } = await app.buy(client, { body: { receiver_address: deployer } })
  await until('the deployer has Energy', async () => {
    await app.mineWhenRead()
    return (await app.get(client, `/order/${body.order_id}`)).body.status === 'COMPLETED'
  })
  const wallet = app.wallet()
  await app.cover(client, wallet, { plan: 'short' })
  const contract = deploySharing(deployer, 50n)
  const txid = await sendThrough(wallet, contract)
  app.mine()
  await app.become(client, wallet, { tx_used_total: 1 })
  const receipt = app.devnet.chain.transaction(txid)!.info.receipt as Record<string, unknown>
  const total = Number(receipt.energy_usage_total)
  const paid = Number(receipt.origin_energy_usage)
  expect(paid).toBeGreaterThan(30_000)
  expect(await app.read(client, wallet, '/usage')).toMatchObject([
    { used_tx_id: txid, energy_class: '65k', energy_used: total - paid },
  ])
})

test('after all of it the books hold', async () => {
  expect(await brokenInvariants(app.database)).toEqual([])
})
