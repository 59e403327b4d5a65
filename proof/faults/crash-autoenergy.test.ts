// Proves: autoenergy, ledger.
import { decodeTransaction, toBase58 } from '@ergon/tron'
import { expect, test } from 'vitest'
import { brokenInvariants } from '../testing/invariants.ts'
import { stretched } from '../testing/stretched.ts'
import { dieEverywhere, patient } from './manyDeaths.ts'
import { ask, type World } from './mortalWorld.ts'

// Subscribe two addresses by one call, activate, bill a covered call, top up, close, reclaim: in one run, a process is killed
// the first time it reaches each commit. Nothing is billed twice, nothing is lost, no Energy stays
// on the address.

const DEPOSIT = 50_000_000
const LEVEL = 131_000n
/** After each commit, and within three transactions, which are then rolled back. */
const PLACES =
  /^committed after (autoenergy\.|delivery\.|ledger\.|events\.|signing\.(?!read)|chain\.(?!read))|^autoenergy\.(insertSubscription|insertCalls|decideCalls)$/
/** A slow machine has no time for all places: no kills after this. */
const SECONDS_OF_DEATH = 26

async function live(world: World): Promise<void> {
  const { devnet, children } = world
  const { become, mineUntil, control, arm } = patient(world, SECONDS_OF_DEATH)
  const [payer, covered, holder, second] = devnet.chain.network.funded.map(({ address }) =>
    toBase58(address),
  )
  const { api_key: key, deposit_address } = await ask(world, 'POST', '/sandbox/accounts', {
    body: {},
  })
  await control('transfer', { from: payer, to: deposit_address, amount_sun: `${DEPOSIT}` })
  await mineUntil('the credit', `select from ledger.account where balance_sun = ${DEPOSIT}`)
  await become('an offer', async () => {
    const path = '/v1/estimate?resource_amount=65000'
    return (await ask(world, 'GET', path, { key })).total_price_sun !== undefined
  })
  arm()

  const path = '/v1/autoenergy/subscriptions'
  const status = async (address = covered) =>
    (await ask(world, 'GET', `${path}/${address}`, { key })).status
  // Sent again it covers what is missing: an address that is covered is refused.
  await become('subscribed', async () => {
    const subscriptions = [covered, second].map((address) => ({ address }))
    const body = JSON.stringify({ subscriptions })
    const init = { method: 'POST', headers: { 'x-api-key': String(key) }, body }
    await fetch(`${children.app.url + path}/batch`, init).catch(() => undefined)
    return (await status()) !== undefined && (await status(second)) !== undefined
  })
  const both = `having count(*) = 2`
  await mineUntil('active', `select from autoenergy.subscription where status = 'active' ${both}`)
  await control('usdt', { from: covered, to: holder, amount: 1_000_000 })
  await mineUntil('billed', `select from autoenergy.subscription where tx_used_total = 1`)
  await mineUntil('final', `select from autoenergy.call where final and state = 'billed'`)
  await mineUntil(
    'whole',
    `select from delivery.standing where available >= ${LEVEL} and not look ${both}`,
  )
  for (const address of [covered, second]) {
    await become('closed', async () => {
      await ask(world, 'POST', `${path}/${address}/close`, { key })
      return (await status(address)) === ('closed' as never)
    })
  }
  await mineUntil('taken back', `select from autoenergy.subscription where not live ${both}`)
}

async function check({ database, devnet }: World): Promise<void> {
  expect(await brokenInvariants(database)).toEqual([])
  const entries = await database.sql(`select kind, amount_sun::int as amount from ledger.movement
     order by version`)
  expect(entries).toEqual([
    { kind: 'deposit', amount: DEPOSIT },
    { kind: 'autoenergy_activate', amount: 10_000_000 },
    { kind: 'autoenergy_activate', amount: 10_000_000 },
    { kind: 'autoenergy_unit', amount: 2_200_000 },
  ])
  const events = await database.sql<{ type: string }>(
    `select type from events.event where type like 'autoenergy%' order by type`,
  )
  expect(events.map(({ type }) => type)).toEqual([
    'autoenergy.activated',
    'autoenergy.activated',
    'autoenergy.closed',
    'autoenergy.closed',
    'autoenergy.delegated',
  ])
  expect(
    await database.sql(
      `select reserved_sun::int as reserved from ledger.account where version > 0`,
    ),
  ).toEqual([{ reserved: 0 }])
  // By the chain alone: two levels, one top-up, and one reclaim of everything for each address.
  const moves = Array.from({ length: devnet.chain.head.number }, (_, n) =>
    devnet.chain.block(n + 1),
  )
    .flatMap((block) => block!.transactions)
    .map((bytes) => decodeTransaction(bytes).raw.contract)
    .flatMap(({ type, value }) => {
      if (type === 'DelegateResourceContract') return value.balance
      return type === 'UnDelegateResourceContract' ? -value.balance : []
    })
  expect(moves.map((stake) => stake > 0n)).toEqual([true, true, true, false, false])
  expect(moves.reduce((sum, stake) => sum + stake, 0n)).toBe(0n)
}

test(
  'kill -9 after every commit of a subscription, from its charge to its last reclaim',
  async () => {
    const deaths = await dieEverywhere(
      { live, check },
      { name: 'AutoEnergy', places: PLACES, parts: 6 },
    )
    // The number of places differs from day to day, and a slow machine has time for few.
    expect(deaths).toBeGreaterThan(0)
  },
  stretched(1_200_000),
)
