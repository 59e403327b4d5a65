import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../proof/testing/database.ts'
import { until } from '../../proof/testing/until.ts'
import { type Db, openDb } from '../db/index.ts'
import { silentLog, systemRuntime } from '../kernel/index.ts'
import type { Outcome } from './attempt.ts'
import { createRecorder } from './record.ts'

const runtime = systemRuntime()
let database: TestDatabase
let db: Db
beforeAll(async () => {
  database = await createTestDatabase()
  const urls = [database.url('ergon_app')]
  db = await openDb({ urls, connections: 2, runtime, log: silentLog, name: 'test' })
})
afterAll(async () => {
  await db.close()
  await database.drop()
})

function outcome(): Outcome {
  const [id, webhook] = [runtime.ids.next(), runtime.ids.next()]
  const answered = { responseStatus: 200, error: null, delaySeconds: 0, gone: false }
  return { id, webhook, state: 'delivered', ...answered, log: '{}' }
}

/** A recorder, and the number of outcomes in each write. */
function record(onWritten: (write: number) => void = () => {}) {
  const writes: number[] = []
  const recorder = createRecorder({
    db,
    clock: runtime.clock,
    log: silentLog,
    onHopeless: () => Promise.resolve(),
    onRecorded(outcomes) {
      writes.push(outcomes.length)
      onWritten(writes.length)
    },
  })
  return { ...recorder, writes }
}

test('an outcome alone is written at once', async () => {
  const { add, flush, writes } = record()
  add(outcome())
  await flush()
  expect(writes).toEqual([1])
})

test('what comes during a write, and shortly after it, is written together', async () => {
  const { add, writes } = record((write) => {
    if (write === 1) setImmediate(() => add(outcome()))
  })
  for (let count = 0; count < 3; count++) add(outcome())
  await until('four are written', () => writes.reduce((sum, size) => sum + size, 0) === 4)
  expect(writes).toEqual([1, 3])
})

test('where there is much to write, nobody waits for more', async () => {
  const { add, writes } = record((write) => {
    if (write === 1) setImmediate(() => add(outcome()))
  })
  for (let count = 0; count < 401; count++) add(outcome())
  await until('all are written', () => writes.reduce((sum, size) => sum + size, 0) === 402)
  expect(writes).toEqual([1, 400, 1])
})

test('a pause ends when there is much to write', async () => {
  const { add, writes } = record((write) => {
    if (write > 1) return
    setImmediate(() => {
      for (let count = 0; count < 400; count++) add(outcome())
      // By now the next write has begun.
      setImmediate(() => add(outcome()))
    })
  })
  for (let count = 0; count < 3; count++) add(outcome())
  await until('all are written', () => writes.reduce((sum, size) => sum + size, 0) === 404)
  expect(writes).toEqual([1, 402, 1])
})

test('what comes in the moment in which a write ends is written', async () => {
  const { add, writes } = record((write) => {
    // Two microtasks later: the write is over and the recorder has not noticed yet.
    if (write === 1) queueMicrotask(() => queueMicrotask(() => add(outcome())))
  })
  add(outcome())
  await until('both are written', () => writes.length === 2)
})
