import type { Log } from './log.ts'

/**
 * Work without a queue: `work` claims a batch of its room's own rows, does it and says how many
 * there were. Woken in process it runs at once, otherwise every `everyMs`; a full batch is followed
 * by the next at once. A failing round is retried with growing pauses, never dropped.
 */
export type Loop = {
  readonly name: string
  start(): void
  wake(): void
  /** One round at once, without the timer; what goes wrong is the caller's. */
  runOnce(): Promise<number>
  /** Resolves when the round under way has ended. */
  stop(): Promise<void>
}

const PAUSE_MS_MAX = 5_000

export function createLoop(options: {
  name: string
  everyMs: number
  work: () => Promise<number>
  log: Log
}): Loop {
  const { name, everyMs, work, log } = options
  let running: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined
  let woken = false
  let stopped = true
  let failures = 0

  function schedule(delayMs: number) {
    clearTimeout(timer)
    if (!stopped) timer = setTimeout(run, delayMs)
  }

  function run() {
    if (running || stopped) return
    woken = false
    running = round().then((delayMs) => {
      running = undefined
      schedule(woken && failures === 0 ? 0 : delayMs)
    })
  }

  async function round(): Promise<number> {
    try {
      const done = await work()
      failures = 0
      return done > 0 ? 0 : everyMs
    } catch (error) {
      failures += 1
      log.error('loop_failed', { loop: name, failures, error })
      return Math.min(everyMs * 2 ** Math.min(failures, 6), PAUSE_MS_MAX)
    }
  }

  return {
    name,
    start() {
      stopped = false
      schedule(0)
    },
    wake() {
      woken = true
      // While failing we keep to the pause: a wake-up per purchase must not hammer a dead database.
      if (!running && failures === 0) schedule(0)
    },
    runOnce: work,
    async stop() {
      stopped = true
      clearTimeout(timer)
      await running
    },
  }
}
