import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../proof/testing/database.ts'
import { type Db, openDb } from '../db/index.ts'
import { type Sun, silentLog, sun, systemRuntime } from '../kernel/index.ts'
import { createLedger, type Ledger, type Move } from './ledger.ts'
import { ENTRY_TYPES, OWN_ACCOUNTS, OWN_KINDS, type Posting } from './movement.ts'

// What may be booked is a table in the database; the code has the same list.

const runtime = systemRuntime()
let database: TestDatabase
let db: Db
let ledger: Ledger
beforeAll(async () => {
  database = await createTestDatabase()
  const urls = [database.url('ergon_app')]
  db = await openDb({ urls, connections: 2, runtime, log: silentLog, name: 'test' })
  ledger = createLedger({ db, runtime })
})
afterAll(async () => {
  await db.close()
  await database.drop()
})

async function newAccount(balance: bigint): Promise<string> {
  const id = runtime.ids.next()
  await database.sql(`insert into identity.account values ($1, 'x', '', now())`, [id])
  await db.transaction((tx) => ledger.open(tx, id))
  await post(posting(id, 'deposit', balance))
  return id
}
const posting = (client: string, kind: string, amount: bigint, counter = 'asset:hot') =>
  ({
    client,
    kind,
    reference: runtime.ids.next(),
    amount: amount as Sun,
    counter,
    description: 'test',
    trace: 'test',
  }) as Posting
const post = (...postings: Posting[]) => db.transaction((tx) => ledger.post(tx, postings))
const postOne = ({ client, kind, reference, amount, counter }: Posting) =>
  database.sql(
    `select ledger.post_one(gen_random_uuid(), $1, $2, $3, $4, $5, '', now(), '', gen_random_uuid(), gen_random_uuid())`,
    [client, kind, reference, amount, counter],
  )
const move = (change: object) => {
  const fact = { reference: runtime.ids.next(), amount: sun(1n), description: 'test' }
  const sides = { kind: 'sweep', from: 'asset:hot', to: 'asset:deposit_addresses' }
  return db.transaction((tx) => ledger.transfer(tx, [{ ...fact, ...sides, ...change } as Move]))
}
const violated = (constraint: string) => expect.objectContaining({ constraint })
const namesIn = async (table: string, condition: string) => {
  const rows = await database.sql<{ name: string }>(`select name from ${table} where ${condition}`)
  return rows.map(({ name }) => name).sort()
}

test('the kinds of the code are those of the database', async () => {
  expect(await namesIn('ledger.kind', 'true')).toEqual([...ENTRY_TYPES, ...OWN_KINDS].sort())
})

test('a client reads these kinds of entries and no others', () => {
  const ofDeposits = ['deposit', 'deposit_reversal', 'payout', 'payout_reversal']
  const ofOrders = ['purchase', 'refund', 'reclaim_credit', 'adjustment']
  const ofAutoEnergy = ['autoenergy_activate', 'autoenergy_daily', 'autoenergy_unit']
  const ofAgents = ['agent_charge', 'agent_revenue', 'agent_revenue_reversal']
  expect([...ENTRY_TYPES].sort()).toEqual(
    [...ofDeposits, ...ofOrders, ...ofAutoEnergy, ...ofAgents].sort(),
  )
})

test('the accounts of the code are those of the database; those of marketplaces come in pairs', async () => {
  const isMarket = `name ~ '^(cost:provider|asset:provider_float):'`
  const ours = await namesIn('ledger.own_account', `not ${isMarket}`)
  expect(ours).toEqual(['client', ...OWN_ACCOUNTS].sort())
  const open = () => db.transaction((tx) => ledger.openProviders(tx, ['bazaar', 'catfee']))
  await open()
  await open()
  const markets = ['bazaar', 'catfee', 'ergon', 'itrx', 'tronsave', 'tronzap']
  expect(await namesIn('ledger.own_account', isMarket)).toEqual(
    ['cost:provider:', 'asset:provider_float:']
      .flatMap((prefix) => markets.map((market) => prefix + market))
      .sort(),
  )
})

test('an unknown kind is refused, for a client and for our own accounts', async () => {
  const client = await newAccount(100n)
  await expect(post(posting(client, 'typo', 1n))).rejects.toEqual(violated('kind_is_known'))
  await expect(postOne(posting(client, 'typo', 1n))).rejects.toEqual(violated('kind_is_known'))
  await expect(move({ kind: 'typo' })).rejects.toEqual(violated('kind_is_known'))
  expect(await ledger.balanceOf(client)).toMatchObject({ balance: 100n })
})

test('an unknown account of our own is refused on either side', async () => {
  const client = await newAccount(100n)
  const credit = posting(client, 'deposit', 1n, 'asset:typo')
  const debit = posting(client, 'purchase', -1n, 'escrow:typo')
  await expect(post(credit)).rejects.toEqual(violated('debit_is_known'))
  await expect(post(debit)).rejects.toEqual(violated('credit_is_known'))
  await expect(postOne(debit)).rejects.toEqual(violated('credit_is_known'))
  const stranger = 'asset:provider_float:stranger'
  await expect(move({ from: stranger })).rejects.toEqual(violated('debit_is_known'))
  await expect(move({ to: stranger })).rejects.toEqual(violated('credit_is_known'))
  expect(await ledger.balanceOf(client)).toMatchObject({ balance: 100n })
})

/** The balance of 100 after a kind takes 101 of it, in an array and alone. */
async function overdrawnBy(kind: string): Promise<unknown[]> {
  return Promise.all(
    [post, postOne].map(async (book) => {
      const client = await newAccount(100n)
      const refused = await book(posting(client, kind, -101n)).then(
        () => undefined,
        (error) => error.constraint,
      )
      return refused ?? (await ledger.balanceOf(client)).balance
    }),
  )
}

test('the table says which kinds take a balance below zero, whatever they are called', async () => {
  const may = await namesIn('ledger.kind', 'may_overdraw')
  expect(may).toEqual(['agent_revenue_reversal', 'deposit_reversal'])
  const not = 'client_balance_not_negative'
  for (const kind of ENTRY_TYPES) {
    expect([kind, ...(await overdrawnBy(kind))]).toEqual(
      may.includes(kind) ? [kind, -1n, -1n] : [kind, not, not],
    )
  }
  await database.sql(`insert into ledger.kind values ('clawback', true), ('fee_reversal', false)`)
  expect(await overdrawnBy('clawback')).toEqual([-1n, -1n])
  expect(await overdrawnBy('fee_reversal')).toEqual([not, not])
  await database.sql(`delete from ledger.kind where name = 'fee_reversal'`)
})

test('a kind that may not overdraw leaves what is held alone; one that may takes it', async () => {
  const client = await newAccount(100n)
  await db.transaction((tx) => ledger.withhold(tx, [{ client, amount: 40n }]))
  for (const book of [post, postOne]) {
    await expect(book(posting(client, 'purchase', -61n))).rejects.toEqual(
      violated('spending_within_balance'),
    )
  }
  await post(posting(client, 'deposit_reversal', -61n))
  expect(await ledger.balanceOf(client)).toMatchObject({ balance: 39n, spendable: 0n })
})

test('no two movements have one id', async () => {
  const client = await newAccount(100n)
  const [first] = await database.sql('select id from ledger.movement where client_id = $1', [
    client,
  ])
  const again = database.sql(
    `insert into ledger.movement (kind, reference_id, id, debit, credit, amount_sun, description, created_at)
     values ('sweep', 'again', $1, 'asset:hot', 'cost:network', 1, '', now())`,
    [first!.id],
  )
  await expect(again).rejects.toEqual(violated('movement_id_is_unique'))
})
