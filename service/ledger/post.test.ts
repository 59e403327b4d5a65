import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../proof/testing/database.ts'
import { brokenInvariants } from '../../proof/testing/invariants.ts'
import { seeded } from '../../proof/testing/seeded.ts'
import { type Db, openDb } from '../db/index.ts'
import { silentLog, sun, systemRuntime } from '../kernel/index.ts'
import { createLedger, type Ledger } from './ledger.ts'
import type { EntryType, Posting } from './movement.ts'

const runtime = systemRuntime()
let database: TestDatabase
let db: Db
let ledger: Ledger
beforeAll(async () => {
  database = await createTestDatabase()
  const urls = [database.url('ergon_app')]
  db = await openDb({ urls, connections: 8, runtime, log: silentLog, name: 'test' })
  ledger = createLedger({ db, runtime })
})
afterAll(async () => {
  // These movements have no orders or deposits, so only the ledger's own invariants are left.
  const broken = await brokenInvariants(database)
  expect(broken.filter((sentence) => /^M([1-5]|8|19) /.test(sentence))).toEqual([])
  await db.close()
  await database.drop()
})

let facts = 0
async function newAccount(): Promise<string> {
  const id = runtime.ids.next()
  await database.sql(
    `insert into identity.account (id, name, created_at) values ($1, 'x', now())`,
    [id],
  )
  await db.transaction((tx) => ledger.open(tx, id))
  return id
}
const posting = (client: string, kind: EntryType, amount: bigint, more = {}): Posting => ({
  client,
  kind,
  reference: `fact ${++facts}`,
  amount: sun(amount),
  counter: kind.startsWith('deposit') ? 'asset:deposit_addresses' : 'escrow:orders',
  description: 'test',
  trace: 'test',
  ...more,
})
const post = (...postings: Posting[]) => db.transaction((tx) => ledger.post(tx, postings))
const balance = async (account: string) => (await ledger.balanceOf(account)).balance
const violated = (constraint: string) => expect.objectContaining({ constraint })
const eventsOf = (account: string) =>
  database.sql<{ type: string; data: Record<string, unknown> }>(
    `select type, data from events.event where account_id = $1
      order by (data ->> 'balance_sun')::bigint, created_at, type`,
    [account],
  )

test('movements are numbered, each with the balance after it, in the order they were given', async () => {
  const account = await newAccount()
  const after = await post(
    posting(account, 'deposit', 100n),
    posting(account, 'purchase', -30n),
    posting(account, 'deposit', 5n),
  )
  expect(after).toEqual([100n, 70n, 75n])
  const page = await ledger.entries(account, { limit: 10, cursor: undefined })
  expect(page).toMatchObject({
    entries: [
      { version: 3n, amount: 5n, balanceAfter: 75n },
      { version: 2n, amount: -30n, balanceAfter: 70n },
      { version: 1n, amount: 100n, balanceAfter: 100n },
    ],
  })
})

test('one fact is one movement: the same kind and reference twice is refused, and nothing of it stays', async () => {
  const account = await newAccount()
  const fact = posting(account, 'deposit', 10n)
  await post(fact)
  await expect(post(posting(account, 'deposit', 1n), fact)).rejects.toEqual(
    violated('one_movement_per_fact'),
  )
  expect(await balance(account)).toBe(10n)
})

test('nobody spends what they do not have: not the balance, not the reserve, not what is withheld', async () => {
  const account = await newAccount()
  await post(posting(account, 'deposit', 100n))
  await expect(post(posting(account, 'purchase', -101n))).rejects.toThrow()
  await db.transaction((tx) => ledger.withhold(tx, [{ client: account, amount: 40n }]))
  expect(await ledger.balanceOf(account)).toMatchObject({ balance: 100n, spendable: 60n })
  await expect(post(posting(account, 'purchase', -61n))).rejects.toEqual(
    violated('spending_within_balance'),
  )
  await post(posting(account, 'purchase', -60n))
  expect(await ledger.balanceOf(account)).toMatchObject({ balance: 40n, spendable: 0n })
  await expect(
    db.transaction((tx) => ledger.withhold(tx, [{ client: account, amount: -41n }])),
  ).rejects.toThrow()
})

test('only a reversal overdraws; such an account spends nothing until it is whole again', async () => {
  const account = await newAccount()
  await post(posting(account, 'deposit', 100n), posting(account, 'purchase', -80n))
  await post(posting(account, 'deposit_reversal', -100n))
  expect(await ledger.balanceOf(account)).toEqual({
    balance: -80n,
    reserved: 0n,
    withheld: 0n,
    spendable: 0n,
  })
  await expect(post(posting(account, 'purchase', -1n))).rejects.toThrow()
  await post(posting(account, 'deposit', 50n))
  expect(await ledger.balanceOf(account)).toMatchObject({ balance: -30n, spendable: 0n })
  await post(posting(account, 'deposit', 31n))
  expect(await ledger.balanceOf(account)).toMatchObject({ balance: 1n, spendable: 1n })
  await post(posting(account, 'purchase', -1n))
})

test('a refund is the purchase backwards, to the SUN, once, and not after a delivery', async () => {
  const account = await newAccount()
  const bought = posting(account, 'purchase', -33n)
  const { reference } = bought
  await post(posting(account, 'deposit', 100n), bought)
  const refund = (of: string) =>
    db.transaction((tx) =>
      ledger.refund(tx, { kind: 'purchase', reference: of, description: 'back', trace: 't' }),
    )
  expect(await refund(reference)).toBe(100n)
  await expect(refund(reference)).rejects.toThrow()
  await expect(refund('no such purchase')).rejects.toThrow()
  const delivered = posting(account, 'purchase', -10n)
  await post(delivered)
  await db.transaction((tx) =>
    ledger.transfer(tx, [
      {
        kind: 'deliver',
        reference: delivered.reference,
        from: 'escrow:orders',
        to: 'income:energy',
        amount: sun(10n),
        description: 'delivered',
      },
    ]),
  )
  await expect(refund(delivered.reference)).rejects.toEqual(violated('delivered_or_refunded_once'))
  expect(await balance(account)).toBe(90n)
})

test('a movement of nothing, on nobody, or from an account to itself is refused', async () => {
  const account = await newAccount()
  await expect(post(posting(account, 'deposit', 0n))).rejects.toEqual(
    violated('amount_is_positive'),
  )
  await expect(post(posting(runtime.ids.next(), 'deposit', 1n))).rejects.toThrow(/does not have/)
  await expect(
    db.transaction((tx) =>
      ledger.transfer(tx, [
        {
          kind: 'deliver',
          reference: 'to itself',
          from: 'income:energy',
          to: 'income:energy',
          amount: sun(1n),
          description: 'x',
        },
      ]),
    ),
  ).rejects.toEqual(violated('two_sides'))
})

test('balance.changed for every movement, balance.credited for every credit, balance.low once per crossing', async () => {
  const account = await newAccount()
  await database.sql('update ledger.account set low_threshold_sun = 50 where id = $1', [account])
  await post(posting(account, 'deposit', 100n))
  const crossing = posting(account, 'purchase', -60n)
  await post(crossing, posting(account, 'purchase', -10n))
  const seen = (await eventsOf(account)).map(({ type, data }) => [type, data.balance_sun])
  expect(seen).toEqual([
    ['balance.changed', 30],
    ['balance.changed', 40],
    ['balance.low', 40],
    ['balance.changed', 100],
    ['balance.credited', 100],
  ])
  const low = (await eventsOf(account)).filter(({ data }) => data.balance_sun === 40)
  for (const { data } of low) {
    expect(data).toEqual({
      entry_id: expect.any(String),
      entry_type: 'purchase',
      amount_sun: -60,
      balance_sun: 40,
      reference_id: crossing.reference,
      threshold_sun: 50,
    })
  }
})

test('a credit later in the same call does not pay for a debit before it', async () => {
  const account = await newAccount()
  const later = posting(account, 'deposit', 20n)
  await expect(post(posting(account, 'purchase', -10n), later)).rejects.toEqual(
    violated('spending_within_balance'),
  )
  expect(await post(later, posting(account, 'purchase', -10n))).toEqual([20n, 10n])
})

test('many at once on few accounts: no deadlock, nothing lost, no balance below zero', async () => {
  const accounts = await Promise.all(Array.from({ length: 4 }, newAccount))
  await post(...accounts.map((account) => posting(account, 'deposit', 1_000n)))
  const chance = seeded(7)
  const expected = new Map(accounts.map((account) => [account, 1_000n]))
  await Promise.all(
    Array.from({ length: 200 }, async () => {
      const count = 1 + chance.below(4)
      const batch = Array.from({ length: count }, () => {
        const amount = BigInt(1 + chance.below(300))
        const account = chance.pick(accounts)
        return chance.once(2)
          ? posting(account, 'deposit', amount)
          : posting(account, 'purchase', -amount)
      })
      const posted = await post(...batch).catch((error) => {
        expect(['spending_within_balance', 'client_balance_not_negative']).toContain(
          error.constraint,
        )
        return undefined
      })
      if (!posted) return
      for (const { client, amount } of batch) expected.set(client, expected.get(client)! + amount)
    }),
  )
  for (const [account, sum] of expected) expect(await balance(account)).toBe(sum)
})
