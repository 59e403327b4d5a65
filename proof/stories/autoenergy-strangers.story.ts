import { toBase58, toHex } from '@ergon/tron'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Coverage, openCoverage, type Wallet } from '../testing/autoenergy.ts'
import { brokenInvariants } from '../testing/invariants.ts'
import { until } from '../testing/until.ts'

// A covered address has deployed a contract whose users it pays for. Strangers who call it would live
// on Energy of ours, again and again. The first time is the last.

const CONTRACT = `41${'c0de'.repeat(10)}`
const HALF_HOUR = 1_900

let house: Coverage
let stranger: Wallet
beforeAll(async () => {
  house = await openCoverage()
  stranger = house.wallet()
})
afterAll(() => house.close())

/** From now on strangers' calls of the contract are paid by the wallet's Energy. */
function deploy({ address }: Wallet): () => void {
  const contracts = house.devnet.chain.network.contracts as Map<string, never>
  const token = contracts.get(house.devnet.chain.network.usdt)!
  const sharing = { origin: toHex(address), percent: 100n }
  contracts.set(CONTRACT, { ...(token as object), sharing } as never)
  return () => contracts.delete(CONTRACT)
}

/** A stranger's call: 64,285 Energy, none of it the stranger's own. */
async function callOfStranger(): Promise<void> {
  const parameter = [
    { type: 'address', value: house.receivers.at(-1)! },
    { type: 'uint256', value: 1 },
  ]
  const { tronWeb } = stranger
  const { transaction } = await tronWeb.transactionBuilder.triggerSmartContract(
    toBase58(CONTRACT),
    'transfer(address,uint256)',
    { feeLimit: 100_000_000 },
    parameter,
  )
  await tronWeb.trx.sendRawTransaction(await tronWeb.trx.sign(transaction))
  house.mine()
  const { receipt } = house.devnet.chain.transaction(transaction.txID)!.info
  const { origin_energy_usage } = receipt as Record<string, unknown>
  expect(Number(origin_energy_usage)).toBe(64_285)
}

/** What was used is noticed, and half a minute of blocks does not explain it. */
async function noticed({ address }: Wallet): Promise<void> {
  await until('the use is noticed', async () => {
    const rows = await house.database.sql(
      `select from delivery.standing where address = $1 and suspect_at is not null`,
      [address],
    )
    return rows.length > 0
  })
  await house.advance(60)
}

const reactivated = async (...given: Parameters<Coverage['act']>) => {
  const { status, body } = await house.act(...given)
  return [status, body.error]
}

test('others who use the Energy of a covered address end its cover, and for a month nobody covers it', async () => {
  const client = await house.fundedAccount('200')
  const wallet = house.wallet()
  await house.cover(client, wallet)
  const undeploy = deploy(wallet)
  try {
    await callOfStranger()
    // Nobody called for the address, so it is looked at when its measure is old.
    await house.advance(HALF_HOUR)
    await noticed(wallet)
    const closed = await house.become(client, wallet, { status: 'closed' })
    expect(closed).toMatchObject({ close_reason: 'energy_used_by_others', tx_used_total: 0 })
    expect(await house.events(client, 'autoenergy.closed')).toMatchObject([
      { data: { close_reason: 'energy_used_by_others' } },
    ])
    await house.reclaimed(wallet)
    expect((await house.energy(wallet)).limit).toBe(0n)
    expect(await reactivated(client, wallet, 'reactivate')).toEqual([409, 'not_reactivatable'])
    const other = await house.fundedAccount('100')
    const again = await house.subscribe(other, wallet)
    expect([again.status, again.body.error]).toEqual([422, 'invalid_address'])
    await house.advance(31 * 86_400)
    expect((await house.act(client, wallet, 'reactivate')).status).toBe(200)
  } finally {
    undeploy()
  }
})

test('behind a call of its own as well, which is billed', async () => {
  const client = await house.fundedAccount('200')
  const wallet = house.wallet()
  await house.cover(client, wallet)
  const undeploy = deploy(wallet)
  try {
    await callOfStranger()
    await wallet.sendUsdt(house.receivers.at(-1)!)
    house.mine()
    await noticed(wallet)
    const closed = await house.become(client, wallet, { status: 'closed' })
    expect(closed).toMatchObject({ close_reason: 'energy_used_by_others', tx_used_total: 1 })
  } finally {
    undeploy()
  }
})

test('own calls, bought Energy that ends and a long time without either are nobody else’s use', async () => {
  const client = await house.fundedAccount('200')
  const wallet = house.wallet()
  await house.cover(client, wallet, { idle_hours: 72 })
  const { body } = await house.buy(client, { body: { receiver_address: wallet.address } })
  await until('the order is delivered', async () => {
    house.mine()
    return (await house.get(client, `/order/${body.order_id}`)).body.status === 'COMPLETED'
  })
  await wallet.sendUsdt(house.receivers.at(-1)!)
  await wallet.sendUsdt(house.receivers.at(-2)!)
  house.mine()
  await house.become(client, wallet, { tx_used_total: 2 })
  // Past the hour of the bought Energy, and through looks at every stage of what comes back.
  for (const seconds of [3_700, HALF_HOUR, 30_000, 50_000]) {
    await house.advance(seconds)
    await house.whole(wallet)
  }
  const rows = await house.database.sql<{ strayed: string }>(
    `select strayed from delivery.standing where address = $1`,
    [wallet.address],
  )
  expect(rows).toEqual([{ strayed: '0' }])
  expect(await house.read(client, wallet)).toMatchObject({ status: 'active' })
  expect(await brokenInvariants(house.database)).toEqual([])
})
