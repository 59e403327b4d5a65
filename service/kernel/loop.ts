import type { Log } from './log.ts'

/**
 * Work without a queue: `work` claims a batch of its room's own rows, handles it and returns the
 * number of rows. It runs at once when woken in process or when the last batch was not empty, else
 * every `everyMs`. A failing round is retried with backoff, never dropped.
 */
export type Loop = {
  readonly name: string
  /** SQL condition that holds while there is work; `$1` is the business time. */
  readonly due: string | undefined
  start(): void
  wake(): void
  /** Says whether there is work. An idle loop without any stops polling until it is woken. */
  notice(isDue: boolean): void
  /** Runs one round at once, without the timer. Errors go to the caller. */
  runOnce(): Promise<number>
  /** Resolves when the current round has ended. */
  stop(): Promise<void>
}

const PAUSE_MS_MAX = 5_000
/** For a loop whose work comes with blocks, or from this process, which wakes it. */
export const WITH_BLOCKS = 'false'
/** A loop polls for this long after its last work: what it started often brings more. */
const IDLE_MS = 1_000
/** A resting loop looks by itself all the same: a condition that misses some work delays it only. */
const REST_MS = 5_000

export function createLoop(options: {
  name: string
  everyMs: number
  due?: string
  work: () => Promise<number>
  log: Log
}): Loop {
  const { name, everyMs, due, work, log } = options
  let running: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined
  let woken = false
  let stopped = true
  let failures = 0
  let idleMs = 0
  let resting = false

  function schedule(delayMs: number) {
    clearTimeout(timer)
    if (!stopped) timer = setTimeout(run, delayMs)
  }

  function run() {
    if (running || stopped) return
    woken = false
    resting = false
    running = round().then((delayMs) => {
      running = undefined
      schedule(woken && failures === 0 ? 0 : delayMs)
    })
  }

  async function round(): Promise<number> {
    try {
      const done = await work()
      failures = 0
      idleMs = done > 0 ? 0 : idleMs + everyMs
      return done > 0 ? 0 : everyMs
    } catch (error) {
      failures += 1
      log.error('loop_failed', { loop: name, failures, error })
      // Never sooner than when healthy: a loop of a minute keeps its minute.
      return Math.max(everyMs, Math.min(everyMs * 2 ** Math.min(failures, 6), PAUSE_MS_MAX))
    }
  }

  return {
    name,
    due,
    start() {
      stopped = false
      schedule(0)
    },
    wake() {
      woken = true
      // Backoff ignores wake-ups: one wake-up per purchase must not hammer a dead database.
      if (!running && failures === 0) schedule(0)
    },
    notice(isDue) {
      if (running || stopped || failures > 0) return
      if (isDue && resting) schedule(0)
      if (isDue || resting || idleMs <= IDLE_MS) return
      resting = true
      schedule(REST_MS)
    },
    runOnce: work,
    async stop() {
      stopped = true
      clearTimeout(timer)
      await running
    },
  }
}
