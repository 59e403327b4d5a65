import type { Log } from './log.ts'

/**
 * Work without a queue: `work` claims a batch of its room's own rows, handles it and returns the
 * number of rows. It runs at once when woken in process or when the last batch was not empty (after
 * `afterWorkMs` where that is given), else every `everyMs`. A failing round is retried with backoff, never dropped. A loop with `due` or
 * `follows` sleeps while service/app/dueWatch.ts, which asks for all loops at once, sees nothing for it.
 */
export type Loop = {
  readonly name: string
  /** SQL condition that holds while there is work; `$1` is the business time. */
  readonly due: string | undefined
  /** SQL expression; there is something to read when its value changes. `$1` is the business time. */
  readonly follows: string | undefined
  start(): void
  wake(): void
  /** Says whether there is work: with some a resting loop runs at once, without any an idle loop stops polling. */
  notice(isDue: boolean): void
  /** Runs one round at once, without the timer. Errors go to the caller. */
  runOnce(): Promise<number>
  /** Resolves when the current round has ended. */
  stop(): Promise<void>
}

const PAUSE_MS_MAX = 5_000
/** A loop polls for this long after its last work: what it started often brings more. */
const IDLE_MS = 1_000
/** A resting loop looks by itself all the same: a condition that misses some work delays it only. */
const REST_MS = 120_000

export function createLoop(options: {
  name: string
  everyMs: number
  due?: string
  follows?: string
  /** How often it looks by itself while it rests. */
  restMs?: number
  /** Pause after a round with work, for rounds that load the database or know when more can come; none unless given. */
  afterWorkMs?: number | (() => number)
  work: () => Promise<number>
  log: Log
}): Loop {
  const { name, everyMs, due, follows, afterWorkMs = 0, work, log } = options
  const restMs = Math.max(everyMs, options.restMs ?? REST_MS)
  let running: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined
  let woken = false
  let stopped = true
  let failures = 0
  let idleMs = 0
  /** Until the first look there may be work. */
  let isDue = true
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
      resting = mayRest()
      if (resting) return restMs
      if (done === 0) return everyMs
      return typeof afterWorkMs === 'number' ? afterWorkMs : afterWorkMs()
    } catch (error) {
      failures += 1
      log.error('loop_failed', { loop: name, failures, error })
      // Never sooner than when healthy: a loop of a minute keeps its minute.
      return Math.max(everyMs, Math.min(everyMs * 2 ** Math.min(failures, 6), PAUSE_MS_MAX))
    }
  }

  const mayRest = () => !isDue && failures === 0 && idleMs > IDLE_MS

  function wake() {
    woken = true
    // Backoff ignores wake-ups: one wake-up per purchase must not hammer a dead database.
    if (!running && failures === 0) schedule(0)
  }

  return {
    name,
    due,
    follows,
    start() {
      stopped = false
      schedule(0)
    },
    wake,
    notice(isThere) {
      isDue = isThere
      // A loop that does not rest looks often enough: waking it at each look would run it without a pause.
      if (isDue) return resting ? wake() : undefined
      if (running || resting || woken || !mayRest()) return
      resting = true
      schedule(restMs)
    },
    runOnce: work,
    async stop() {
      stopped = true
      clearTimeout(timer)
      await running
    },
  }
}
