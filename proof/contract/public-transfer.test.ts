// Proves: orders, pricing.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Coverage, newcomer, openCoverage, type Wallet } from '../testing/autoenergy.ts'
import { flatSchedule } from '../testing/market.ts'
import { until } from '../testing/until.ts'

let coverage: Coverage
let wallet: Wallet
beforeAll(async () => {
  coverage = await openCoverage()
  await coverage.settings({ schedule: flatSchedule(30) })
  wallet = coverage.wallet()
})
afterAll(() => coverage.close())

const why = (txid: string) => coverage.call('GET', `/v1/public/transfers/${txid}`)

test('a transfer that burned says what it lacked and what Energy would have cost', async () => {
  const txid = await wallet.sendUsdt(coverage.receivers.at(-1)!)
  coverage.mine()
  const { status, body } = await why(txid)
  expect([status, body]).toEqual([
    200,
    {
      verdict: 'energy_burned',
      message: expect.stringMatching(
        /went through.* needed 64,285 Energy, the wallet had 0, .*it would have cost 1.92855 TRX/,
      ),
      energy_needed: 64_285,
      energy_had: 0,
      burned_trx: expect.stringMatching(/^6\.\d+$/),
      price_with_energy_trx: '1.92855',
    },
  ])
  expect((await why(txid.toUpperCase())).body).toEqual(body)
})

test('a transfer that ran out of Energy says what it needs, which its receipt does not', async () => {
  const txid = await wallet.sendUsdt(await newcomer(), { feeLimit: 3_000_000 })
  coverage.mine()
  expect((await why(txid)).body).toEqual({
    verdict: 'out_of_energy',
    message: expect.stringMatching(/^The transfer failed: it needs 130,285 Energy, .*3.90855 TRX/),
    energy_needed: 130_285,
    energy_had: 0,
    burned_trx: expect.stringMatching(/^3(\.\d+)?$/),
    price_with_energy_trx: '3.90855',
  })
})

test('a transfer on bought Energy is covered', async () => {
  const account = await coverage.fundedAccount('10')
  const body = { receiver_address: wallet.address }
  const { order_id } = (await coverage.buy(account, { body })).body
  await until('the Energy', async () => {
    await coverage.mineWhenRead()
    return (await coverage.get(account, `/order/${order_id}`)).body.status === 'COMPLETED'
  })
  const txid = await wallet.sendUsdt(coverage.receivers.at(-1)!)
  coverage.mine()
  const found = (await why(txid)).body
  expect(found).toMatchObject({ energy_needed: 64_285, energy_had: 64_285 })
  expect(['covered', 'bandwidth_burned']).toContain(found.verdict)
})

test('a transfer of TRX needs no Energy', async () => {
  const plain = await wallet.tronWeb.trx.sendTransaction(coverage.receivers.at(-1)!, 1_000)
  coverage.mine()
  expect((await why(plain.transaction.txID)).body).toMatchObject({
    energy_needed: 0,
    price_with_energy_trx: '0',
  })
})

test('404 not_found: unknown, malformed and not in a block yet are the same', async () => {
  const waiting = await wallet.sendUsdt(coverage.receivers.at(-1)!)
  const answers = await Promise.all([waiting, 'ab'.repeat(32), 'x', '%00', '0'.repeat(65)].map(why))
  expect(new Set(answers.map(({ whole }) => whole)).size).toBe(1)
  expect([answers[0]!.status, answers[0]!.body.detail.error]).toEqual([404, 'not_found'])
  coverage.mine()
  // The answer is remembered for a few seconds.
  await until('the receipt', async () => (await why(waiting)).status === 200)
})
