// Proves: autoenergy, http.
import { randomBytes } from 'node:crypto'
import { toBase58 } from '@ergon/tron'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Answer, TestAccount } from '../testing/app.ts'
import { type Coverage, newcomer, openCoverage } from '../testing/autoenergy.ts'
import { hold } from '../testing/holdAccount.ts'
import { brokenInvariants } from '../testing/invariants.ts'
import { SOLID_LAG } from '../testing/solidLag.ts'

// POST /v1/autoenergy/subscriptions/batch. What each address is charged, and when, is that of a single call.

const PATH = '/v1/autoenergy/subscriptions/batch'
const FEE = 10_000_000n
/** One large transfer stays reserved for each address. */
const RESERVE = 4_400_000n

let app: Coverage
beforeAll(async () => {
  app = await openCoverage()
})
afterAll(async () => {
  expect(await brokenInvariants(app.database)).toEqual([])
  await app.close()
})

type Item = Record<string, unknown>
const batch = ({ api_key: key }: TestAccount, subscriptions: unknown): Promise<Answer> =>
  app.call('POST', PATH, { key, body: { subscriptions } })
const of = (addresses: readonly unknown[]): Item[] => addresses.map((address) => ({ address }))

/** Addresses that nobody has used, activated in a solid block. */
async function activated(count: number): Promise<string[]> {
  const made = Array.from({ length: count }, () => toBase58(`41${randomBytes(20).toString('hex')}`))
  const from = app.receivers.at(-1)
  for (const to of made) {
    await app.call('POST', '/sandbox/chain/transfer', { body: { from, to, amount_sun: 1 } })
  }
  app.mine(SOLID_LAG + 1)
  return made
}

function outcomes({ status, body }: Answer) {
  if (status !== 200) return status
  return body.results.map((one: { status: number; body: Item }) =>
    one.status === 201 ? 201 : `${one.status} ${one.body.error}`,
  )
}

async function money({ account_id }: TestAccount) {
  const { balance, reserved } = await app.rooms.ledger.balanceOf(account_id)
  return { balance, reserved }
}

test('200: the results are in order, as POST /autoenergy/subscriptions answers them', async () => {
  const client = await app.fundedAccount('100')
  const [one, two] = await activated(2)
  const answer = await batch(client, [
    { address: one, idle_hours: 48, quota_max_tx: 7, daily_budget_trx: '5.50' },
    { address: 'nobody' },
    { address: two, plan: 'golden' },
    { address: two },
  ])
  expect(outcomes(answer)).toEqual([201, '422 invalid_address', '400 plan_not_found', 201])
  const [first] = answer.body.results
  const { body } = await app.get(client, `/autoenergy/subscriptions/${one}`)
  expect(Object.keys(first.body)).toEqual(Object.keys(body))
  const terms = { idle_hours: 48, quota_max_tx: 7, daily_budget_trx: '5.5' }
  expect(first.body).toMatchObject({ address: one, status: 'pending_activation', ...terms })
  const single = { key: client.api_key, body: { address: 'nobody' } }
  const alone = await app.call('POST', '/v1/autoenergy/subscriptions', single)
  expect(alone.status).toBe(422)
  expect(answer.whole).toContain(`{"status":422,"body":${alone.whole}}`)
})

test('a hundred addresses and a balance for 40: the first 40 are charged, once each', async () => {
  const client = await app.fundedAccount('576')
  const addresses = await activated(100)
  const answer = await batch(client, of(addresses))
  const short = '400 insufficient_balance'
  expect(outcomes(answer)).toEqual([...Array(40).fill(201), ...Array(60).fill(short)])
  expect(answer.body.results[40].body).toMatchObject({
    current_balance: 0,
    required_amount: 14_400_000,
  })
  expect(await money(client)).toEqual({ balance: 40n * RESERVE, reserved: 40n * RESERVE })
  const charged = { kind: 'autoenergy_activate', amount: Number(-FEE) }
  expect(await app.entries(client)).toEqual(Array(40).fill(charged))
  const rows = await app.database.sql<{ address: string }>(
    'select address from autoenergy.subscription where account_id = $1',
    [client.account_id],
  )
  expect(rows.map(({ address }) => address).sort()).toEqual(addresses.slice(0, 40).sort())
})

test('the same address twice is charged once, also by two batches at once', async () => {
  const client = await app.fundedAccount('200')
  const [one, two, three] = await activated(3)
  const twice = await batch(client, of([one, one, two]))
  expect(outcomes(twice)).toEqual([201, '409 address_busy', 201])
  const both = await Promise.all([1, 2].map(() => batch(client, of([three, one]))))
  expect(both.flatMap(outcomes).sort()).toEqual([201, ...Array(3).fill('409 address_busy')])
  expect(await money(client)).toEqual({ balance: 170_000_000n, reserved: 3n * RESERVE })
})

test('one that dies within its transaction charges nothing, and the same call again covers the missing one', async () => {
  const [client, other] = [await app.fundedAccount('200'), await app.fundedAccount('20')]
  const addresses = await activated(5)
  const text = `insert into autoenergy.subscription
    select (jsonb_populate_record(s, jsonb_build_object('id', gen_random_uuid(), 'address', $2::text))).*
      from autoenergy.subscription s where account_id = $1`
  await batch(other, of(await activated(1)))
  await hold(
    app.database,
    { text, values: [other.account_id, addresses[2]] },
    async ({ inFlight }) => {
      const dying = batch(client, of(addresses))
      await inFlight()
      await app.database.sql(
        `select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock' and usename = 'ergon_app'`,
      )
      expect(outcomes(await dying)).toEqual([201, 201, '500 internal_error', 201, 201])
    },
  )
  expect(await money(client)).toEqual({ balance: 160_000_000n, reserved: 4n * RESERVE })
  const busy = '409 address_busy'
  expect(outcomes(await batch(client, of(addresses)))).toEqual([busy, busy, 201, busy, busy])
  expect(await money(client)).toEqual({ balance: 150_000_000n, reserved: 5n * RESERVE })
})

test('502 and 503 of each address while nothing can be covered', async () => {
  const client = await app.fundedAccount('100')
  const wanted = of(await activated(2))
  await app.settings({ autoenergy_enabled: false })
  const off = await batch(client, wanted)
  await app.settings({ autoenergy_enabled: true })
  expect(outcomes(off)).toEqual(Array(2).fill('503 autoenergy_temporarily_unavailable'))
  app.devnet.faults.set({ http_status: 500 })
  const silent = await batch(client, wanted)
  app.devnet.faults.set({})
  expect(outcomes(silent)).toEqual(Array(2).fill('502 fulfiller_unavailable'))
  expect(await money(client)).toEqual({ balance: 100_000_000n, reserved: 0n })
})

test('422: no addresses, 101 of them, one of the wrong shape; nothing is charged', async () => {
  const client = await app.fundedAccount('100')
  const [address] = await activated(1)
  const faults = async (subscriptions: unknown) => {
    const { status, body } = await batch(client, subscriptions)
    expect(status).toBe(422)
    return body.detail.map(({ loc, type }: Item) => `${(loc as string[]).join('.')} ${type}`)
  }
  expect(await faults([])).toEqual(['body.subscriptions value_error'])
  expect(await faults(of(Array(101).fill(address)))).toEqual(['body.subscriptions value_error'])
  expect(await faults(undefined)).toEqual(['body.subscriptions missing'])
  expect(await faults([{ address }, { address: 5, idle_hours: 23 }, {}])).toEqual([
    'body.subscriptions.1.address string_type',
    'body.subscriptions.1.idle_hours enum',
    'body.subscriptions.2.address missing',
  ])
  expect(await money(client)).toEqual({ balance: 100_000_000n, reserved: 0n })
})

test('401 before 429 before 422, and 404 or 405 before all of them', async () => {
  expect((await app.call('POST', PATH, { body: {} })).status).toBe(401)
  expect((await app.call('PATCH', PATH, { body: {} })).status).toBe(405)
  const client = await app.newAccount()
  // It is no address of a subscription.
  const read = await app.call('GET', PATH, { key: client.api_key })
  expect([read.status, read.body.error]).toEqual([404, 'not_found'])
})

test('counts as that many requests; over the limit it is 429 and nothing is counted or charged', async () => {
  const client = await app.fundedAccount('100')
  const address = await newcomer()
  const hundred = of(Array(100).fill('nobody'))
  for (let nth = 0; nth < 9; nth++) {
    expect((await batch(client, Array(100).fill({}))).status).toBe(422)
  }
  // 900 of 1,000 are used, and this one, which is too long to be counted as a batch.
  expect((await batch(client, [...hundred, { address }])).status).toBe(422)
  const over = await batch(client, of(await activated(100)))
  expect([over.status, over.text]).toEqual([429, '{"detail":"Rate limit exceeded"}'])
  expect(await money(client)).toEqual({ balance: 100_000_000n, reserved: 0n })
  const left = await batch(client, hundred.slice(1))
  expect(outcomes(left)).toEqual(Array(99).fill('422 invalid_address'))
  expect((await app.get(client, '/account')).status).toBe(429)
})
