// Proves: autoenergy, operator.
import { utils } from 'tronweb'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestAccount } from '../testing/app.ts'
import { type Coverage, openCoverage, type Wallet } from '../testing/autoenergy.ts'
import { openOperator } from '../testing/operator.ts'
import { openStrangers, type Strangers } from '../testing/strangers.ts'

// An address whose Energy others used is barred for 30 days. Nobody may use the bar to lock out the
// owner of the address, or other addresses of the account.

const PATH = '/v1/autoenergy/subscriptions'
const OWN_TRX_SUN = 50_000_000

let app: Coverage
let strangers: Strangers
beforeAll(async () => {
  app = await openCoverage()
  strangers = openStrangers(app)
})
afterAll(async () => {
  await app.close()
})

const remove = (client: TestAccount, { address }: Wallet) =>
  app.call('DELETE', `${PATH}/${address}`, { key: client.api_key })
const proof = ({ account_id }: TestAccount, { address, tronWeb }: Wallet) => ({
  ownership_signature: utils.message.signMessage(
    `${account_id}:${address}`,
    tronWeb.defaultPrivateKey as string,
  ),
})
const refusalOf = ({ status, body }: { status: number; body: { error?: string } }) => [
  status,
  body.error,
]

test('the bar as a weapon: who proves the address is not locked out by another account', async () => {
  const { client: attacker, wallet } = await strangers.caught()
  const owner = await app.fundedAccount('100')
  const unproven = await app.subscribe(owner, wallet)
  expect(refusalOf(unproven)).toEqual([422, 'invalid_address'])
  expect(unproven.body.message).toContain('ownership_signature')
  const stolen = await app.subscribe(owner, wallet, proof(attacker, wallet))
  expect(refusalOf(stolen)).toEqual([422, 'ownership_not_proven'])
  // A proof does not end the account's own bar.
  await remove(attacker, wallet)
  const guilty = await app.subscribe(attacker, wallet, proof(attacker, wallet))
  expect(refusalOf(guilty)).toEqual([422, 'invalid_address'])
  await app.cover(owner, wallet, proof(owner, wallet))
  // The proof is kept: a later reactivation needs no new one.
  await app.act(owner, wallet, 'close')
  await app.reclaimed(wallet)
  expect((await app.act(owner, wallet, 'reactivate')).status).toBe(200)
})

test('an account that had the address before proves it when it reactivates', async () => {
  const owner = await app.fundedAccount('100')
  const { client, wallet, contract } = await strangers.thief()
  await app.cover(owner, wallet)
  await app.act(owner, wallet, 'close')
  await app.reclaimed(wallet)
  await strangers.catch({ client, wallet, contract })
  const path = `${PATH}/${wallet.address}/reactivate`
  const { api_key: key } = owner
  const refused = await app.call('POST', path, { key })
  expect(refusalOf(refused)).toEqual([409, 'not_reactivatable'])
  expect(refused.body.message).toContain('ownership_signature')
  const proven = await app.call('POST', path, { key, body: proof(owner, wallet) })
  expect(proven.status).toBe(200)
})

test('one bad address takes no cover from the others; ten levels end new activations alone', async () => {
  const { client, wallet: bad } = await strangers.caught()
  const good = await app.poorWallet(OWN_TRX_SUN)
  await app.cover(client, good)
  await app.act(client, good, 'close')
  await app.reclaimed(good)
  const other = await app.poorWallet(OWN_TRX_SUN)
  await app.cover(client, other)
  // The state that nine more addresses would have left.
  await app.database.sql(
    `insert into autoenergy.stray (id, account_id, address, subscription_id, activation, energy, at)
     select gen_random_uuid(), account_id, address || '2', subscription_id, 1, 9 * 131000 + 10000, at
       from autoenergy.stray where address = $1`,
    [bad.address],
  )
  const busy = [503, 'autoenergy_temporarily_unavailable']
  expect(refusalOf(await app.subscribe(client, app.wallet()))).toEqual(busy)
  expect(refusalOf(await app.act(client, good, 'reactivate'))).toEqual(busy)
  await other.sendUsdt(app.receivers.at(-1)!)
  app.mine()
  await app.become(client, other, { status: 'active', tx_used_total: 1 })
  await app.whole(other)
})

test('an operator lifts a bar, with a reason that is written down', async () => {
  const { client, wallet } = await strangers.caught()
  const ann = await openOperator(app, 'ann@example.com')
  const { bars } = (await ann.call('GET', '/autoenergy/bars')).body
  const bar = bars.find(({ address }: { address: string }) => address === wallet.address)
  expect(bar).toMatchObject({ account_id: client.account_id, lifted_at: null })
  const lift = () =>
    ann.call('POST', `/autoenergy/bars/${bar.id}/lift`, { why: 'the contract is gone' })
  expect((await lift()).body).toMatchObject({ id: bar.id, lifted_at: expect.any(String) })
  expect((await lift()).status).toBe(404)
  const { actions } = (await ann.call('GET', '/actions?limit=2')).body
  expect(actions[1]).toMatchObject({ what: 'lift_bar', why: 'the contract is gone', done: true })
  expect((await app.act(client, wallet, 'reactivate')).status).toBe(200)
})
