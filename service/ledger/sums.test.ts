import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../proof/testing/database.ts'
import { testRuntime } from '../../proof/testing/runtime.ts'
import { rowsTouched } from '../../proof/testing/touched.ts'
import { advanceBusinessTime, connectClient, type Db, openDb } from '../db/index.ts'
import { silentLog, sun } from '../kernel/index.ts'
import { createLedger, createSumLoop, type Posting } from './index.ts'
import type { Move } from './ledger.ts'
import { readOwed } from './store.ts'

// What we owe is read from a checkpoint, and is what a sum over everything says.

const MINUTES_MS = 60_000
const runtime = testRuntime()
let database: TestDatabase
let db: Db
let ledger: ReturnType<typeof createLedger>
let loop: ReturnType<typeof createSumLoop>
const clients: string[] = []
beforeAll(async () => {
  database = await createTestDatabase()
  const urls = [database.url('ergon_app')]
  db = await openDb({ urls, connections: 3, runtime, log: silentLog, name: 'test' })
  ledger = createLedger({ db, runtime })
  loop = createSumLoop({ db, runtime, log: silentLog })
  for (let n = 0; n < 3; n++) {
    const id = runtime.ids.next()
    await database.sql(
      `insert into identity.account (id, name, created_at) values ($1, 'x', now())`,
      [id],
    )
    await db.transaction((tx) => ledger.open(tx, id))
    clients.push(id)
  }
})
afterAll(async () => {
  await db.close()
  await database.drop()
})

let references = 0
function posting(client: string, kind: Posting['kind'], amount: bigint): Posting {
  references += 1
  const counter = kind === 'purchase' ? 'escrow:orders' : 'asset:deposit_addresses'
  const reference = `r${references}`
  return { client, kind, reference, amount: sun(amount), counter, description: '', trace: '' }
}
const post = (...postings: Posting[]) => db.transaction((tx) => ledger.post(tx, postings))

/** Over all rows, as it was read before there were checkpoints. */
async function summed() {
  const [row] = await database.sql<Record<string, string>>(`
    select (select coalesce(sum(balance_sun), 0) from ledger.account where balance_sun > 0) as clients,
           (select coalesce(sum(case when credit like 'escrow:%' then amount_sun else -amount_sun end), 0)
              from ledger.movement where (debit like 'escrow:%') <> (credit like 'escrow:%')) as escrow,
           (select coalesce(sum(case when debit = 'asset:deposit_addresses' then amount_sun else -amount_sun end), 0)
              from ledger.movement where 'asset:deposit_addresses' in (debit, credit)) as assets`)
  const { clients: owed, escrow, assets } = row!
  return {
    clients: BigInt(owed!),
    escrow: BigInt(escrow!),
    depositAddresses: BigInt(assets!),
  }
}
const upto = async () =>
  (await database.sql<{ movements: string }>('select movements from ledger.sums'))[0]!.movements

/** Two rounds of the loop, with time between them for what is new to become old. */
async function moveOn() {
  await loop.runOnce()
  runtime.pass(3 * MINUTES_MS)
  await advanceBusinessTime(db, runtime.clock, 3 * MINUTES_MS)
  await loop.runOnce()
}

test('what is owed is the same before, behind and after the checkpoint', async () => {
  const [one, two, three] = clients as [string, string, string]
  await post(posting(one, 'deposit', 100n), posting(two, 'deposit', 50n))
  expect(await ledger.owed()).toEqual(await summed())
  await moveOn()
  expect(await upto()).toBe('2')
  expect(await ledger.owed()).toEqual(await summed())
  await post(posting(one, 'purchase', -30n), posting(three, 'deposit', 7n))
  // One client's debt does not cover another's money.
  await post(posting(two, 'deposit_reversal', -60n))
  expect(await ledger.owed()).toEqual({ clients: 77n, escrow: 30n, depositAddresses: 97n })
  expect(await ledger.owed()).toEqual(await summed())
  await moveOn()
  expect(await upto()).toBe('5')
  expect(await ledger.owed()).toEqual(await summed())
})

test('a movement with a smaller key that is committed later is counted', async () => {
  const late = await connectClient({ connectionString: database.url('ergon_admin') })
  await late.query('begin')
  await late.query(
    `insert into ledger.movement (kind, reference_id, id, debit, credit, amount_sun, description, created_at)
     values ('adjustment', 'late', $1, 'equity:operator', 'escrow:orders', 11, '', now())`,
    [runtime.ids.next()],
  )
  await post(posting(clients[0]!, 'deposit', 5n))
  await loop.runOnce()
  runtime.pass(MINUTES_MS)
  await loop.runOnce()
  await late.query('commit')
  await late.end()
  await moveOn()
  expect(await ledger.owed()).toEqual(await summed())
})

test('the rows that are read do not grow with the movements', async () => {
  const touched = () =>
    db.transaction((tx) =>
      rowsTouched(tx, { schema: 'ledger', table: 'movement' }, () => tx.query(readOwed)),
    )
  await moveOn()
  await post(posting(clients[0]!, 'deposit', 5n))
  const young = await touched()
  for (let n = 0; n < 20; n++) {
    await post(...Array.from({ length: 100 }, () => posting(clients[0]!, 'deposit', 1n)))
  }
  await moveOn()
  await post(posting(clients[0]!, 'deposit', 5n))
  expect([young, await touched()]).toEqual([1, 1])
  expect(await ledger.owed()).toEqual(await summed())
})

test('a service of an earlier release is added up in slices', async () => {
  await database.sql(`update ledger.sums set upto = '00000000-0000-0000-0000-000000000000', movements = 0,
    clients_sun = 0, escrow_sun = 0, deposit_addresses_sun = 0`)
  expect(await ledger.owed()).toEqual(await summed())
  const { name, text } = { name: 'test.addUp', text: 'select ledger.add_up($1, $2) as movements' }
  const last = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
  const slices: unknown[] = []
  while (slices.at(-1) !== 0n) {
    slices.push((await db.query<{ movements: bigint }>({ name, text }, [last, 900]))[0]!.movements)
    expect(await ledger.owed()).toEqual(await summed())
  }
  expect(slices.length).toBeGreaterThan(3)
})

test('movements of the last two minutes are not added up, whatever the caller asks for', async () => {
  await moveOn()
  const before = await upto()
  await post(posting(clients[0]!, 'deposit', 5n))
  const asked = `select ledger.add_up('ffffffff-ffff-ffff-ffff-ffffffffffff', 1000)`
  await db.query({ name: 'test.addUpAll', text: asked })
  expect(await upto()).toBe(before)
})

test('a movement that the sums would miss is refused', async () => {
  await post(posting(clients[0]!, 'deposit', 50n))
  await moveOn()
  // As of a process whose clock is ten minutes slow.
  const slowMs = runtime.clock.now().getTime() - 10 * MINUTES_MS
  const hex = slowMs.toString(16).padStart(12, '0')
  let made = 0
  const next = () => {
    made += 1
    return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-${String(made).padStart(12, '0')}`
  }
  const slow = createLedger({ db, runtime: { ...runtime, ids: { next } } })
  const one = posting(clients[0]!, 'deposit', 5n)
  const refused = /is older than the sums of the ledger/
  await expect(db.transaction((tx) => slow.post(tx, [one]))).rejects.toThrow(refused)
  const move: Move = {
    kind: 'deliver',
    reference: 'slow',
    from: 'escrow:orders',
    to: 'income:energy',
    amount: sun(1n),
    description: '',
  }
  await expect(db.transaction((tx) => slow.transfer(tx, [move]))).rejects.toThrow(refused)
  await post(posting(clients[0]!, 'purchase', -5n))
  const charge = {
    kind: 'purchase',
    reference: `r${references}`,
    description: '',
    trace: '',
  } as const
  await expect(db.transaction((tx) => slow.refund(tx, charge))).rejects.toThrow(refused)
  expect(await ledger.owed()).toEqual(await summed())
})
