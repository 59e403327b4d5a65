import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { silentLog } from './log.ts'
import { createLoop, type Loop } from './loop.ts'

const EVERY_MS = 1_000
let loop: Loop
let rounds: number
/** Results of the next rounds; an Error is thrown. Empty: no work. */
let script: (number | Error | Promise<number>)[]

beforeEach(() => {
  vi.useFakeTimers()
  rounds = 0
  script = []
  loop = createLoop({ name: 'test.loop', everyMs: EVERY_MS, log: silentLog, work })
})
afterEach(async () => {
  await loop.stop()
  vi.useRealTimers()
})

async function work(): Promise<number> {
  rounds += 1
  const next = script.shift() ?? 0
  if (next instanceof Error) throw next
  return next
}

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

test('an idle loop looks once per interval', async () => {
  loop.start()
  await pass(0)
  expect(rounds).toBe(1)
  await pass(EVERY_MS - 1)
  expect(rounds).toBe(1)
  await pass(1)
  expect(rounds).toBe(2)
})

test('a loop that is to pause after work does so between two rounds with work', async () => {
  script = [1, 1]
  const [name, afterWorkMs] = ['test.loop', 100]
  loop = createLoop({ name, everyMs: EVERY_MS, afterWorkMs, log: silentLog, work })
  loop.start()
  await pass(99)
  expect(rounds).toBe(1)
  await pass(1)
  expect(rounds).toBe(2)
})

test('a wake-up runs it at once, and many wake-ups are one round', async () => {
  loop.start()
  await pass(0)
  for (let i = 0; i < 100; i += 1) loop.wake()
  await pass(0)
  expect(rounds).toBe(2)
})

test('a wake-up during a round is not lost', async () => {
  const slow = Promise.withResolvers<number>()
  script = [slow.promise]
  loop.start()
  await pass(0)
  loop.wake()
  await pass(0)
  expect(rounds).toBe(1)
  slow.resolve(0)
  await pass(0)
  expect(rounds).toBe(2)
})

test('a batch with work in it is followed by the next at once', async () => {
  script = [256, 256, 3, 0]
  loop.start()
  await pass(EVERY_MS / 10)
  expect(rounds).toBe(4)
  await pass(EVERY_MS / 2)
  expect(rounds).toBe(4)
})

test('two rounds never overlap', async () => {
  const slow = Promise.withResolvers<number>()
  script = [slow.promise]
  loop.start()
  await pass(0)
  await pass(10 * EVERY_MS)
  expect(rounds).toBe(1)
  slow.resolve(0)
})

test('after a failure it pauses longer each time, at most five seconds, and recovers', async () => {
  script = Array.from({ length: 12 }, () => new Error('database is away'))
  loop.start()
  await pass(0)
  await pass(2 * EVERY_MS - 1)
  expect(rounds).toBe(1)
  await pass(1)
  expect(rounds).toBe(2)
  await pass(4 * EVERY_MS)
  expect(rounds).toBe(3)
  await pass(5_000 * 9)
  expect(rounds).toBe(12)
  await pass(5_000)
  expect(rounds).toBe(13)
  await pass(EVERY_MS)
  expect(rounds).toBe(14)
})

test('a slow loop that fails does not run more often than when it is well', async () => {
  const slow = createLoop({ name: 'test.slow', everyMs: 60_000, log: silentLog, work })
  script = Array.from({ length: 3 }, () => new Error('database is away'))
  slow.start()
  await pass(0)
  await pass(59_999)
  expect(rounds).toBe(1)
  await pass(1)
  expect(rounds).toBe(2)
  await slow.stop()
})

test('while failing, wake-ups do not shorten the pause, whenever they come', async () => {
  const slow = Promise.withResolvers<number>()
  script = [slow.promise, new Error('still away')]
  loop.start()
  await pass(0)
  loop.wake()
  slow.reject(new Error('database is away'))
  await pass(0)
  for (let i = 0; i < 10; i += 1) {
    loop.wake()
    await pass(100)
  }
  expect(rounds).toBe(1)
  await pass(2 * EVERY_MS)
  expect(rounds).toBe(2)
})

test('stop waits for the round under way and nothing runs afterwards', async () => {
  const slow = Promise.withResolvers<number>()
  script = [slow.promise]
  loop.start()
  await pass(0)
  let stopped = false
  const stopping = loop.stop().then(() => {
    stopped = true
  })
  await pass(EVERY_MS)
  expect(stopped).toBe(false)
  slow.resolve(5)
  await stopping
  loop.wake()
  await pass(10 * EVERY_MS)
  expect(rounds).toBe(1)
})

test('a loop that was never started does nothing', async () => {
  loop.wake()
  await pass(10 * EVERY_MS)
  expect(rounds).toBe(0)
})

test('without work it rests after an idle second, and looks every two minutes all the same', async () => {
  loop.start()
  await pass(0)
  loop.notice(false)
  expect(rounds).toBe(1)
  await pass(EVERY_MS)
  loop.notice(false)
  await pass(118_000)
  loop.notice(false)
  await pass(1_000)
  expect(rounds).toBe(2)
  await pass(1_000)
  expect(rounds).toBe(3)
})

test('what it looks at by itself while it rests may be more urgent', async () => {
  const urgent = createLoop({
    name: 'test.urgent',
    everyMs: EVERY_MS,
    restMs: 5_000,
    log: silentLog,
    work,
  })
  urgent.start()
  await pass(EVERY_MS)
  urgent.notice(false)
  await pass(4_999)
  expect(rounds).toBe(2)
  await pass(1)
  expect(rounds).toBe(3)
  await urgent.stop()
})

test('woken for nothing it rests again at once', async () => {
  loop.start()
  await pass(EVERY_MS)
  loop.notice(false)
  loop.wake()
  await pass(10 * EVERY_MS)
  expect(rounds).toBe(3)
})

test('while there is work to wait for it polls, however long', async () => {
  loop.start()
  await pass(0)
  // Said at each look, and yet no round more than its own pace.
  for (let time = 0; time < 10; time += 1) {
    loop.notice(true)
    await pass(EVERY_MS)
  }
  expect(rounds).toBe(11)
})

test('with work noticed during a round it keeps polling', async () => {
  const slow = Promise.withResolvers<number>()
  script = [slow.promise]
  loop.start()
  await pass(0)
  loop.notice(true)
  slow.resolve(0)
  await pass(EVERY_MS)
  expect(rounds).toBe(2)
})

test('a wake-up is not undone by the word that there is nothing', async () => {
  loop.start()
  await pass(EVERY_MS)
  loop.wake()
  loop.notice(false)
  await pass(0)
  expect(rounds).toBe(3)
})

test('work that becomes due, and a wake-up, end its rest at once', async () => {
  loop.start()
  await pass(EVERY_MS)
  loop.notice(false)
  loop.notice(true)
  await pass(0)
  expect(rounds).toBe(3)
  loop.notice(false)
  loop.wake()
  await pass(0)
  expect(rounds).toBe(4)
  loop.notice(false)
  await pass(EVERY_MS)
  expect(rounds).toBe(4)
})

test('for a second after work it polls, whatever notices it gets', async () => {
  script = [1]
  loop.start()
  await pass(1)
  expect(rounds).toBe(2)
  loop.notice(false)
  await pass(EVERY_MS)
  expect(rounds).toBe(3)
  loop.notice(false)
  await pass(EVERY_MS)
  expect(rounds).toBe(3)
})

test('a failing loop keeps to its pause, whatever notices it gets', async () => {
  script = [new Error('no database')]
  loop.start()
  await pass(0)
  loop.notice(true)
  loop.notice(false)
  await pass(EVERY_MS * 2 - 1)
  expect(rounds).toBe(1)
  await pass(1)
  expect(rounds).toBe(2)
})

test('a loop that says itself that nobody reads sleeps, and runs at once for the first reader', async () => {
  let readers = 0
  const look = async () => {
    loop.notice(readers > 0)
    return work()
  }
  const [name, everyMs, restMs] = ['test.loop', EVERY_MS, 10 * EVERY_MS]
  loop = createLoop({ name, everyMs, restMs, log: silentLog, work: look })
  loop.start()
  await pass(EVERY_MS)
  await pass(9 * EVERY_MS)
  expect(rounds).toBe(2)
  readers = 1
  loop.notice(true)
  await pass(0)
  expect(rounds).toBe(3)
  await pass(3 * EVERY_MS)
  expect(rounds).toBe(6)
  readers = 0
  await pass(EVERY_MS)
  await pass(9 * EVERY_MS)
  expect(rounds).toBe(7)
})

test('the pause after work may depend on what the round found', async () => {
  script = [1, 1]
  const pauses = [0, 3 * EVERY_MS]
  const [name, afterWorkMs] = ['test.loop', () => pauses.shift()!]
  loop = createLoop({ name, everyMs: EVERY_MS, afterWorkMs, log: silentLog, work })
  loop.start()
  await pass(1)
  expect(rounds).toBe(2)
  await pass(2 * EVERY_MS)
  expect(rounds).toBe(2)
  await pass(EVERY_MS)
  expect(rounds).toBe(3)
})
