import type { Db } from '../db/index.ts'
import { type Clock, createLoop, type Log, type Loop } from '../kernel/index.ts'
import { drawBudget, registerNode } from './store.ts'

/**
 * 1,000 requests in a window of 60 s that starts with the account's first request. Exact in process
 * while one API process runs; from the moment a second one registers, nodes draw blocks of the
 * budget from the database, so that all of them together stay within it.
 */
export type RateLimit = {
  /** Undefined when the request may pass, otherwise the seconds until the window resets. */
  check(account: string): number | undefined | Promise<number | undefined>
  /** What the limiter does in the background: it counts the API nodes. */
  loop: Loop
}

const WINDOW_MS = 60_000
const LIMIT = 1_000
const CHUNK = LIMIT / 20
const NODE_SEEN_MS = 3_000

type Window = { endsMs: number; used: number; granted: number; drawing?: Promise<void> }

export function createRateLimit(deps: {
  db: Db
  clock: Clock
  log: Log
  nodeId: string
}): RateLimit {
  const { db, clock, log, nodeId } = deps
  const windows = new Map<string, Window>()
  let nodes = 1

  function windowOf(account: string): Window {
    const now = clock.elapsedMs()
    const open = windows.get(account)
    if (open && open.endsMs > now) return open
    const fresh = { endsMs: now + WINDOW_MS, used: 0, granted: 0 }
    windows.set(account, fresh)
    return fresh
  }

  function pass(window: Window, budget: number): number | undefined {
    if (window.used >= budget) {
      return Math.max(1, Math.ceil((window.endsMs - clock.elapsedMs()) / 1000))
    }
    window.used += 1
    return undefined
  }

  async function draw(account: string, window: Window) {
    const usedAlone = window.granted === 0 ? window.used : 0
    try {
      const [row] = await db.query(drawBudget, [account, WINDOW_MS, LIMIT, CHUNK, usedAlone])
      window.granted += Number(row!.granted) + usedAlone
      window.endsMs = clock.elapsedMs() + Number(row!.msLeft)
    } catch (error) {
      // The shared counter cannot be reached: count alone, with this node's share of the window.
      log.warn('rate_counter_unreachable', { error })
      window.granted = Math.max(window.granted, Math.floor(LIMIT / nodes))
    }
  }

  async function checkShared(account: string): Promise<number | undefined> {
    const window = windowOf(account)
    if (window.used >= window.granted && window.granted < LIMIT) {
      window.drawing ??= draw(account, window).finally(() => {
        delete window.drawing
      })
      await window.drawing
    }
    return pass(window, window.granted)
  }

  async function countNodes(): Promise<number> {
    const [row] = await db.query(registerNode, [nodeId, NODE_SEEN_MS])
    nodes = Number(row!.nodes)
    forget()
    return 0
  }

  function forget() {
    const now = clock.elapsedMs()
    for (const [account, window] of windows) if (window.endsMs <= now) windows.delete(account)
  }

  return {
    check: (account) => (nodes > 1 ? checkShared(account) : pass(windowOf(account), LIMIT)),
    loop: createLoop({ name: 'http.countNodes', everyMs: 1_000, work: countNodes, log }),
  }
}
