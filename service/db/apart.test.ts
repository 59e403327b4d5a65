import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../proof/testing/database.ts'
import { silentLog as log, systemClock, systemRuntime } from '../kernel/index.ts'
import { type Apart, createApart, type Db, openDb, readAside, retryAside } from './index.ts'

let database: TestDatabase
let db: Db
let apart: Apart
let nowMs = Date.parse('2026-11-17T00:00:00Z')
const clock = { ...systemClock(), now: () => new Date(nowMs) }
const of = { loop: 'test.loop', kind: 'thing' }

beforeAll(async () => {
  database = await createTestDatabase()
  const urls = [database.url('ergon_app')]
  db = await openDb({ urls, connections: 2, runtime: systemRuntime(), log, name: 'test' })
})
beforeEach(async () => {
  await database.sql('truncate db.put_aside')
  apart = createApart({ db, clock, log }, of)
})
afterAll(async () => {
  await db.close()
  await database.drop()
})

const fail = async () => {
  throw new Error('broken')
}
const listed = async () =>
  (await readAside(db, clock.now(), 100)).rows.map(({ subject, failures }) => [subject, failures])

test('the pauses grow, and a success forgets the failures', async () => {
  const pauses: number[] = []
  for (let n = 0; n < 12; n += 1) {
    await apart.alone('a', fail)
    const [row] = (await readAside(db, clock.now(), 1)).rows
    pauses.push((row!.nextAt.getTime() - nowMs) / 1_000)
    nowMs = row!.nextAt.getTime()
  }
  expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 600, 600])
  expect(await apart.alone('a', async () => 'done')).toBe('done')
  expect(await listed()).toEqual([])
})

test('the error of a lost connection concerns every row, and fails the round', async () => {
  const cut = () =>
    database.sql(
      'select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1',
      ['test'],
    )
  const work = () =>
    db.transaction(async (tx) => {
      await cut()
      await tx.query({ name: 'test.one', text: 'select 1' })
    })
  await expect(apart.alone('a', work)).rejects.toThrow()
  await expect(
    apart.claim(10, ({ took }) => {
      took(['a', 'b'])
      return work()
    }),
  ).rejects.toThrow()
  expect(await listed()).toEqual([])
})

test('a cancelled statement fails the round, a lock that is not free concerns one row', async () => {
  const raise = (code: string) => () =>
    db.query({
      name: `test.raise${code}`,
      text: `do $$ begin raise exception 'raised' using errcode = '${code}'; end $$`,
    })
  await expect(apart.alone('a', raise('57014'))).rejects.toThrow('raised')
  await expect(apart.alone('a', raise('53100'))).rejects.toThrow('raised')
  expect(await apart.alone('a', raise('55P03'))).toBeUndefined()
  expect(await listed()).toEqual([['thing a', 1]])
})

test('a row that waits is left out of a claim, and one that is due is taken again', async () => {
  const claimed: (readonly string[])[] = []
  const work = (bad: string) =>
    apart.claim(3, async ({ most, skip, took }) => {
      const ids = ['a', 'b', 'c', 'd'].filter((id) => !skip.includes(id)).slice(0, most)
      claimed.push(ids)
      took(ids)
      if (ids.includes(bad)) throw new Error('broken')
    })
  await work('b')
  expect(claimed).toEqual([['a', 'b', 'c'], ['a'], ['b'], ['c']])
  claimed.length = 0
  await work('b')
  expect(claimed).toEqual([['a', 'c', 'd']])
  nowMs += 1_000
  claimed.length = 0
  await work('none')
  expect(claimed).toEqual([['a', 'b', 'c']])
  expect(await listed()).toEqual([])
})

test('a row that no longer exists leaves the list a minute after its next try', async () => {
  await apart.alone('a', fail)
  nowMs += 61_000
  expect(await listed()).toEqual([['thing a', 1]])
  nowMs += 1
  expect(await listed()).toEqual([])
  await apart.alone('b', fail)
  expect(await database.sql('select subject from db.put_aside')).toEqual([{ subject: 'thing b' }])
})

test('a process that starts tries everything at once and keeps the count', async () => {
  await apart.alone('a', fail)
  await retryAside(db, clock.now())
  const [row] = (await readAside(db, clock.now(), 1)).rows
  expect(row!.nextAt).toEqual(clock.now())
  await createApart({ db, clock, log }, of).alone('a', fail)
  expect(await listed()).toEqual([['thing a', 2]])
})

test('a secret in an error is not written down', async () => {
  await apart.alone('a', async () => {
    throw new Error('no answer of postgres://me:hush@host')
  })
  const [row] = (await readAside(db, clock.now(), 1)).rows
  expect(row!.error).toBe('no answer of postgres://me:…@host')
})
