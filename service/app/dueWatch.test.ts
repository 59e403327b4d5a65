import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestApp, type TestApp } from '../../proof/testing/app.ts'
import type { Db } from '../db/index.ts'
import { type Loop, silentLog, systemClock, WITH_BLOCKS } from '../kernel/index.ts'
import { createDueWatch } from './dueWatch.ts'

let app: TestApp
beforeAll(async () => {
  app = await openTestApp()
  await app.scanned()
})
afterAll(() => app.close())

type Noticed = { loop: Loop; seen: boolean[] }

/** A loop that does nothing but remember what it is told. */
function listener(name: string, due: string | undefined): Noticed {
  const seen: boolean[] = []
  const loop: Loop = {
    name,
    due,
    start() {},
    wake() {},
    notice: (isDue) => void seen.push(isDue),
    runOnce: async () => 0,
    stop: async () => {},
  }
  return { loop, seen }
}

let watches = 0
function watch(...noticed: Noticed[]) {
  const loops = noticed.map(({ loop }) => loop)
  // A connection keeps one text under a name; here several watches share the pool.
  const name = `app.readDue.${++watches}`
  const db: Db = {
    ...app.db,
    query: (statement, values) => app.db.query({ ...statement, name }, values),
  }
  const deps = { db, clock: systemClock(), log: silentLog, everyMs: 1_000 }
  return createDueWatch({ ...deps, loops })
}

test('the loops of every room have conditions that can be asked, and none holds at rest', async () => {
  const { orders, delivery, deposits, agent, autoenergy, webhooks, chat, chain, dailySummary } =
    app.rooms
  const loops = [orders, delivery, deposits, agent, autoenergy, webhooks, chat].flatMap(
    (room) => room.loops,
  )
  const asked = [...loops, chain.broadcasts.loop, dailySummary]
    .filter(({ due }) => due !== undefined)
    .map(({ name, due }) => listener(name, due))
  expect(asked.length).toBeGreaterThan(15)
  const due = watch(...asked)
  await due.runOnce()
  await due.runOnce()
  const busy = asked.filter(({ seen }) => seen[1]).map(({ loop }) => loop.name)
  expect(busy).toEqual([])
})

test('each loop is told of its own work, and a loop without a condition of nothing', async () => {
  const [work, none, open] = [
    listener('a', 'true'),
    listener('b', 'false'),
    listener('c', undefined),
  ]
  const due = watch(none, open, work)
  await due.runOnce()
  await due.runOnce()
  expect([work.seen[1], none.seen[1], open.seen]).toEqual([true, false, []])
})

test('the condition is asked at the business time', async () => {
  const later = listener('later', `$1 >= '2100-01-01T00:00:00Z'::timestamptz`)
  const sooner = listener('sooner', `$1 >= '2000-01-01T00:00:00Z'::timestamptz`)
  const due = watch(later, sooner)
  await due.runOnce()
  await due.runOnce()
  expect([later.seen[1], sooner.seen[1]]).toEqual([false, true])
})

test('a new block is noticed once by every loop', async () => {
  const loop = listener('finish', WITH_BLOCKS)
  const due = watch(loop)
  await due.runOnce()
  await due.runOnce()
  app.devnet.chain.mine()
  await app.scanned()
  await due.runOnce()
  await due.runOnce()
  expect(loop.seen[1]).toBe(false)
  expect(loop.seen.slice(2)).toContain(true)
})
