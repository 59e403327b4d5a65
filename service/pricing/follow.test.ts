import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../proof/testing/database.ts'
import { type Db, openDb } from '../db/index.ts'
import { silentLog as log, systemRuntime } from '../kernel/index.ts'
import { isInExperiment } from './followRule.ts'
import { createPricing, type Pricing } from './pricing.ts'

const { ids, ...runtime } = systemRuntime()
const HOUR = 3_600_000
const START = Date.parse('2026-11-10T12:00:00Z')
const ENERGY = 65_000n
const ALL = { group: '', margin: 3n, changeMax: 2n, amountMax: 200_000n }
let nowMs = START
const clock = { ...runtime.clock, now: () => new Date(nowMs) }
let cost: bigint | undefined = 15n
let groups = new Map<string, string>()
let database: TestDatabase
let db: Db
let one: Pricing
let other: Pricing
beforeAll(async () => {
  database = await createTestDatabase()
  const urls = [database.url('ergon_app')]
  db = await openDb({
    urls,
    connections: 4,
    runtime: { ids, ...runtime },
    log,
    name: 'test',
  })
})
afterAll(async () => {
  await db.close()
  await database.drop()
})
beforeEach(async () => {
  nowMs = START
  cost = 15n
  groups = new Map()
  const process = () =>
    createPricing({
      db,
      runtime: { ids, clock },
      log,
      wholesale: () => cost,
      groupOf: (account) => groups.get(account) ?? '',
    })
  one = process()
  other = process()
  await Promise.all([one.refresh(), other.refresh()])
  await one.changeTerms({ schedule: Array(24).fill(30n), marginFloor: 0n })
  await other.refresh()
})
afterEach(async () => {
  await database.sql('delete from pricing.followed_price')
  await database.sql('delete from pricing.wholesale')
  await database.sql('delete from pricing.follow_rule')
  await database.sql('delete from pricing.discount')
})

const somebody = () => ids.next()
const unitOf = (pricing: Pricing, account = 'a') => pricing.priceFor(account, ENERGY) / ENERGY

/** Moves on, with the loop of one process and what the other one reads. */
async function after(ms: number) {
  nowMs += ms
  await one.following.loop.runOnce()
  await Promise.all([one.refresh(), other.refresh()])
  nowMs += 5_000
}

async function account(basisPoints = 0n): Promise<string> {
  const id = somebody()
  await database.sql(
    `insert into identity.account (id, name, created_at) values ($1, 'x', now())`,
    [id],
  )
  if (basisPoints > 0n) await one.setDiscount(id, basisPoints)
  return id
}

test('without a rule everybody pays the schedule, whatever Energy costs', async () => {
  await after(HOUR)
  expect(one.unitPrice()).toBe(30n)
  expect(unitOf(one)).toBe(30n)
})

test('the price falls to cost plus margin by no more an hour than the rule allows', async () => {
  await one.following.follow(ALL)
  const seen: bigint[] = []
  for (let hour = 0; hour < 9; hour += 1) {
    await after(HOUR)
    // The loop runs often; that must not add up.
    for (let minute = 0; minute < 5; minute += 1) await after(70_000)
    seen.push(unitOf(one))
  }
  expect(seen).toEqual([26n, 24n, 22n, 20n, 18n, 18n, 18n, 18n, 18n])
})

test('it rises as slowly, and at once as far as the cost', async () => {
  await one.following.follow({ ...ALL, changeMax: 12n })
  await after(HOUR)
  await after(HOUR)
  expect(unitOf(one)).toBe(18n)
  await one.following.follow(ALL)
  await after(HOUR)
  cost = 17n
  await after(20_000)
  expect(unitOf(one)).toBe(20n)
  cost = 25n
  await after(20_000)
  expect(unitOf(one)).toBe(25n)
  cost = 40n
  await after(20_000)
  expect(unitOf(one)).toBe(30n)
})

test('it is never above the schedule of its hour, from the first moment of that hour', async () => {
  const schedule = Array(24).fill(30n)
  schedule[13] = 16n
  await one.changeTerms({ schedule })
  await one.following.follow(ALL)
  await other.refresh()
  nowMs = START + HOUR - 1
  expect(unitOf(one)).toBe(28n)
  nowMs = START + HOUR
  expect(unitOf(one)).toBe(16n)
  expect(other.unitPrice()).toBe(16n)
  expect(one.costOver('a', ENERGY)).toEqual({
    now: 16n * ENERGY,
    min: 16n * ENERGY,
    max: 30n * ENERGY,
  })
  expect(one.terms().schedule).toEqual(schedule)
})

test('two processes have the same price at every moment, also while it changes', async () => {
  await one.following.follow(ALL)
  // The other one has not read it yet: it must not hold yet.
  expect([unitOf(one), unitOf(other)]).toEqual([30n, 30n])
  await other.refresh()
  nowMs += 5_000
  expect([unitOf(one), unitOf(other)]).toEqual([28n, 28n])
  expect([one.unitPrice(), other.unitPrice()]).toEqual([28n, 28n])
  nowMs += HOUR
  await one.following.loop.runOnce()
  await one.refresh()
  expect([unitOf(one), unitOf(other)]).toEqual([28n, 28n])
})

test('a discount pushes a followed price no lower than its cost', async () => {
  const friend = await account(2_000n)
  await one.following.follow({ ...ALL, changeMax: 20n })
  nowMs += 5_000
  // 18 SUN less 20 % are 14.4: below the cost of 15. The schedule's would be 24.
  expect(one.priceFor(friend, ENERGY)).toBe(15n * ENERGY)
  expect(one.listedFor(friend, ENERGY)).toBe(24n * ENERGY)
})

test('an order above the limit of the rule pays the schedule', async () => {
  await one.following.follow(ALL)
  nowMs += 5_000
  expect(one.priceFor('a', 200_000n)).toBe(28n * 200_000n)
  expect(one.priceFor('a', 200_001n)).toBe(30n * 200_001n)
})

test('a group follows its own rule, and everybody else the common one', async () => {
  await one.following.follow(ALL)
  await one.following.follow({ ...ALL, group: 'wallets', changeMax: 5n })
  groups.set('w', 'wallets')
  nowMs += 5_000
  expect([unitOf(one, 'w'), unitOf(one, 'a')]).toEqual([25n, 28n])
  await one.following.end('wallets', false)
  nowMs += 5_000
  expect(unitOf(one, 'w')).toBe(28n)
  await one.following.end('', false)
  nowMs += 5_000
  expect(unitOf(one, 'w')).toBe(30n)
})

test('a rule whose price cannot be written keeps no other from its own', async () => {
  const bad = await one.following.follow(ALL)
  await one.following.follow({ ...ALL, group: 'wallets' })
  await database.sql(`create function pricing.refuse() returns trigger language plpgsql as $$
    begin raise 'a bad rule'; end $$`)
  await database.sql(`create trigger refuse before insert on pricing.followed_price
    for each row when (new.rule_id = '${bad.id}') execute function pricing.refuse()`)
  groups.set('w', 'wallets')
  await after(2 * HOUR)
  await database.sql('drop trigger refuse on pricing.followed_price')
  expect([unitOf(one, 'a'), unitOf(one, 'w')]).toEqual([28n, 26n])
})

test('a price stays where nobody offers Energy any more', async () => {
  await one.following.follow(ALL)
  cost = undefined
  await after(2 * HOUR)
  expect(unitOf(one)).toBe(28n)
})

test('an experiment holds for its half and ends by itself', async () => {
  const rule = await one.following.experiment({ ...ALL, changeMax: 4n }, 2)
  if (!('id' in rule)) throw new Error('refused')
  nowMs += 5_000
  const accounts = Array.from({ length: 200 }, somebody)
  const tried = accounts.filter((id) => isInExperiment(rule.id, id))
  expect(tried.length).toBeGreaterThan(60)
  expect(tried.length).toBeLessThan(140)
  for (const id of accounts) expect(unitOf(one, id)).toBe(tried.includes(id) ? 26n : 30n)
  expect(one.unitPrice()).toBe(30n)
  expect(await one.following.experiment(ALL, 2)).toMatchObject({
    refused: 'changed_meanwhile',
  })
  nowMs += 2 * 24 * HOUR
  expect(unitOf(one, tried[0])).toBe(30n)
})
