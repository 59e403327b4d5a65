// Proves: autoenergy, delivery.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Coverage, openCoverage, type Wallet } from '../testing/autoenergy.ts'
import { brokenInvariants } from '../testing/invariants.ts'
import { openStrangers, type Strangers } from '../testing/strangers.ts'
import { until } from '../testing/until.ts'

// A covered address has deployed a contract whose users it pays for. Strangers who call it use our
// Energy, and the first time ends the cover.

const HALF_HOUR = 1_900

let app: Coverage
let strangers: Strangers
beforeAll(async () => {
  app = await openCoverage()
  strangers = openStrangers(app)
})
afterAll(async () => {
  await app.close()
})

/** The use is noticed, and still unexplained after half a minute of blocks. */
async function noticed({ address }: Wallet): Promise<void> {
  await until('the use is noticed', async () => {
    const rows = await app.database.sql(
      `select from delivery.standing where address = $1 and suspect_at is not null`,
      [address],
    )
    return rows.length > 0
  })
  await app.advance(60)
}

const reactivated = async (...given: Parameters<Coverage['act']>) => {
  const { status, body } = await app.act(...given)
  return [status, body.error]
}

test('others who use the Energy of a covered address end its cover, and for a month nobody covers it', async () => {
  const client = await app.fundedAccount('200')
  const wallet = app.wallet()
  await app.cover(client, wallet)
  const contract = strangers.deploy(wallet)
  await contract.call()
  app.mine()
  expect(contract.taken()).toBe(64_285n)
  // There was no call of the address, so it is measured when its last measurement is old.
  await app.advance(HALF_HOUR)
  await noticed(wallet)
  const closed = await app.become(client, wallet, { status: 'closed' })
  expect(closed).toMatchObject({ close_reason: 'energy_used_by_others', tx_used_total: 0 })
  expect(await app.events(client, 'autoenergy.closed')).toMatchObject([
    { data: { close_reason: 'energy_used_by_others' } },
  ])
  await app.reclaimed(wallet)
  expect((await app.energy(wallet)).limit).toBe(0n)
  expect(await reactivated(client, wallet, 'reactivate')).toEqual([409, 'not_reactivatable'])
  const other = await app.fundedAccount('100')
  const again = await app.subscribe(other, wallet)
  expect([again.status, again.body.error]).toEqual([422, 'invalid_address'])
  await app.advance(31 * 86_400)
  expect((await app.act(client, wallet, 'reactivate')).status).toBe(200)
})

test('use by others is found behind a call of its own too, and that call is billed', async () => {
  const client = await app.fundedAccount('200')
  const wallet = app.wallet()
  await app.cover(client, wallet)
  const contract = strangers.deploy(wallet)
  await contract.call()
  app.mine()
  expect(contract.taken()).toBe(64_285n)
  await wallet.sendUsdt(app.receivers.at(-1)!)
  app.mine()
  await noticed(wallet)
  const closed = await app.become(client, wallet, { status: 'closed' })
  expect(closed).toMatchObject({ close_reason: 'energy_used_by_others', tx_used_total: 1 })
})

test('own calls, bought Energy that ends and a long time without either are nobody else’s use', async () => {
  const client = await app.fundedAccount('200')
  const wallet = app.wallet()
  await app.cover(client, wallet, { idle_hours: 72 })
  const { body } = await app.buy(client, { body: { receiver_address: wallet.address } })
  await until('the order is delivered', async () => {
    await app.mineWhenRead()
    return (await app.get(client, `/order/${body.order_id}`)).body.status === 'COMPLETED'
  })
  await wallet.sendUsdt(app.receivers.at(-1)!)
  await wallet.sendUsdt(app.receivers.at(-2)!)
  app.mine()
  await app.become(client, wallet, { tx_used_total: 2 })
  // Past the hour of the bought Energy, with measurements at every stage of the recovery.
  for (const seconds of [3_700, HALF_HOUR, 30_000, 50_000]) {
    await app.advance(seconds)
    await app.whole(wallet)
  }
  const rows = await app.database.sql<{ strayed: string }>(
    `select strayed from delivery.standing where address = $1`,
    [wallet.address],
  )
  expect(rows).toEqual([{ strayed: '0' }])
  expect(await app.read(client, wallet)).toMatchObject({ status: 'active' })
  expect(await brokenInvariants(app.database)).toEqual([])
})

test('while nothing is sold nothing is topped up; when it is sold again, the level comes back', async () => {
  const client = await app.fundedAccount('200')
  const wallet = app.wallet()
  await app.cover(client, wallet)
  await app.rooms.orders.setSelling(false, 'a drill')
  await wallet.sendUsdt(app.receivers.at(-1)!)
  app.mine()
  await app.become(client, wallet, { tx_used_total: 1 })
  await strangers.lookedAt(wallet)
  const moves = await app.database.sql(
    `select from delivery.standing_move where address = $1 and state = 'sent'`,
    [wallet.address],
  )
  expect(moves).toEqual([])
  await app.rooms.orders.setSelling(true, null)
  await app.whole(wallet)
})
