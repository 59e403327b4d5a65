// Proves: autoenergy, delivery.
import { decodeTransaction, toHex } from '@ergon/tron'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Coverage, newcomer, openCoverage } from '../testing/autoenergy.ts'
import { brokenInvariants } from '../testing/invariants.ts'
import { until } from '../testing/until.ts'

// Used Energy recovers over a day. The stake that was added for it is then too much, and is
// reclaimed.

let app: Coverage
beforeAll(async () => {
  app = await openCoverage()
})
afterAll(() => app.close())

const HOUR = 3_600

/** Stake reclaimed from the address, by block. */
function reclaims(address: string): { block: number; stake: bigint }[] {
  const { chain } = app.devnet
  return Array.from({ length: chain.head.number }, (_, index) => chain.block(index + 1)!).flatMap(
    ({ number, transactions }) =>
      transactions.flatMap((bytes) => {
        const { type, value } = decodeTransaction(bytes).raw.contract
        if (type !== 'UnDelegateResourceContract') return []
        if (value.receiver_address !== toHex(address)) return []
        return { block: number, stake: value.balance }
      }),
  )
}

test('what has recovered is trimmed, and 131,000 stay available the whole time', async () => {
  const client = await app.fundedAccount('100')
  const wallet = app.wallet()
  await app.cover(client, wallet, { idle_hours: 72 })
  await wallet.sendUsdt(await newcomer())
  app.mine()
  await app.become(client, wallet, { tx_used_total: 1 })
  await app.whole(wallet)
  const full = await app.energy(wallet)
  expect(full.limit).toBeGreaterThan(2n * 130_000n)
  expect(reclaims(wallet.address)).toEqual([])

  await app.advance(12 * HOUR)
  await until('a trim is in a block', async () => {
    if (reclaims(wallet.address).length > 0) return true
    expect((await app.energy(wallet)).available).toBeGreaterThanOrEqual(131_000n)
    await app.mineWhenRead()
    return false
  })
  const trimmed = await app.energy(wallet)
  expect(trimmed.available).toBeGreaterThanOrEqual(131_000n)
  expect(trimmed.available).toBeLessThan(134_000n)
  expect(trimmed.limit).toBeLessThan(full.limit)

  // The largest transfer finds all the Energy it needs, and no top-up follows the trim.
  const moves = await app.database.sql(
    `select kind from delivery.standing_move where address = $1 and state <> 'dead' order by expires_at`,
    [wallet.address],
  )
  expect(moves.map(({ kind }) => kind)).toEqual(['delegate', 'delegate', 'reclaim'])
  const txid = await wallet.sendUsdt(await newcomer())
  app.mine()
  const info = await wallet.tronWeb.trx.getUnconfirmedTransactionInfo(txid)
  expect(info.receipt.energy_fee ?? 0).toBe(0)
})

test('a trim is no end: the close takes back the rest, to the last SUN', async () => {
  const client = await app.fundedAccount('100')
  const wallet = app.wallet()
  await app.cover(client, wallet, { idle_hours: 72 })
  await wallet.sendUsdt(await newcomer())
  app.mine()
  await app.become(client, wallet, { tx_used_total: 1 })
  await app.whole(wallet)
  await app.advance(12 * HOUR)
  await until('a trim', () => {
    if (reclaims(wallet.address).length > 0) return true
    app.mine()
    return false
  })
  await app.act(client, wallet, 'close')
  await app.reclaimed(wallet)
  expect((await app.energy(wallet)).limit).toBe(0n)
  const [row] = await app.database.sql(
    `select sum(case kind when 'delegate' then stake_sun else -stake_sun end)::int as left
       from delivery.standing_move where address = $1 and state = 'done'`,
    [wallet.address],
  )
  expect(row).toEqual({ left: 0 })
})

test('after all of it the books hold', async () => {
  expect(await brokenInvariants(app.database)).toEqual([])
})
