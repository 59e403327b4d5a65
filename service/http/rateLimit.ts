import type { Db } from '../db/index.ts'
import { type Clock, createLoop, type Log, type Loop } from '../kernel/index.ts'
import { NODES } from './due.sql.ts'
import { drawBudget, readSilence, registerNode } from './store.ts'

/**
 * 1,000 requests in a window of 60 s that starts with the account's first request. Exact in process
 * while one API process runs; from the moment a second one registers, nodes draw blocks of the
 * budget from the database, so that all of them together stay within it.
 */
export type RateLimit = {
  /** Undefined when the request may pass, otherwise the seconds until the window resets. */
  check(account: string): number | undefined | Promise<number | undefined>
  /**
   * Counts further requests of a call that `check` counted as one. Above the limit it counts none of them, not even that
   * one.
   */
  checkMore(account: string, requests: number): number | undefined | Promise<number | undefined>
  /** Counts the API nodes in the background. */
  loop: Loop
}

const WINDOW_MS = 60_000
const LIMIT = 1_000
const CHUNKS = 20
/** Three registrations. */
const NODE_SEEN_MS = 15_000
const REGISTER_MS = 5_000

type Window = {
  endsMs: number
  used: number
  /** The window uses grants of the shared budget. */
  shared: boolean
  granted: number
  /** The shared budget has fewer requests than this. */
  lacks: number
  drawing?: Promise<void>
}

/** How long no API node has reported, for a process that is none; null: none is known. */
export const apiSilentMs = async (db: Db): Promise<bigint | null> =>
  (await db.query(readSilence))[0]!.silentMs

export function createRateLimit(deps: {
  db: Db
  clock: Clock
  log: Log
  nodeId: string
  /** Default: the contract's 1,000. A load test raises it. */
  limit?: number
  /** An operator's limit for one account instead. */
  ownLimitOf?(account: string): number | undefined
}): RateLimit {
  const { db, clock, log, nodeId } = deps
  const limitOf = (account: string) => deps.ownLimitOf?.(account) ?? deps.limit ?? LIMIT
  const windows = new Map<string, Window>()
  let nodes = 1

  function windowOf(account: string, nowMs: number): Window {
    const open = windows.get(account)
    if (open && open.endsMs > nowMs) return open
    const endsMs = nowMs + WINDOW_MS
    const fresh = { endsMs, used: 0, shared: false, granted: 0, lacks: Number.POSITIVE_INFINITY }
    windows.set(account, fresh)
    return fresh
  }

  function pass(window: Window, budget: number, requests = 1): number | undefined {
    if (window.used + requests > budget) {
      return Math.max(1, Math.ceil((window.endsMs - clock.elapsedMs()) / 1000))
    }
    window.used += requests
    return undefined
  }

  /** Draws enough for the requests, or nothing. */
  async function draw(account: string, window: Window, requests: number) {
    const usedAlone = window.shared ? 0 : window.used
    const needed = window.used + requests - window.granted - usedAlone
    window.shared = true
    try {
      const limit = limitOf(account)
      const chunk = Math.max(needed, Math.ceil(limit / CHUNKS))
      const values = [account, WINDOW_MS, limit, chunk, usedAlone, needed]
      const [row] = await db.query(drawBudget, values)
      window.granted += Number(row!.granted) + usedAlone
      if (row!.granted === 0n) window.lacks = needed
      // Do not extend a window that expired while we waited.
      if (windows.get(account) === window) window.endsMs = clock.elapsedMs() + Number(row!.msLeft)
    } catch (error) {
      // The shared counter is unreachable: continue with this node's share of the window.
      log.warn('rate_counter_unreachable', { error })
      const share = Math.floor(limitOf(account) / nodes)
      if (window.granted >= share) window.lacks = 1
      window.granted = Math.max(window.granted, share)
    }
  }

  async function checkShared(
    account: string,
    window: Window,
    requests = 1,
  ): Promise<number | undefined> {
    const missing = () => window.used + requests - window.granted
    // Loop: many requests wait for one grant, and others may use it up first.
    while (missing() > 0 && missing() < window.lacks) {
      window.drawing ??= draw(account, window, requests).finally(() => {
        delete window.drawing
      })
      await window.drawing
    }
    return pass(window, window.granted, requests)
  }

  function orNone(window: Window, wait: number | undefined): number | undefined {
    if (wait !== undefined) window.used = Math.max(0, window.used - 1)
    return wait
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
    check(account) {
      const window = windowOf(account, clock.elapsedMs())
      // Use the current grant first, without a query.
      if (window.used < window.granted) return pass(window, window.granted)
      // A shared window stays shared to its end; otherwise a leaving node would double it.
      return nodes > 1 || window.shared
        ? checkShared(account, window)
        : pass(window, limitOf(account))
    },
    checkMore(account, requests) {
      const window = windowOf(account, clock.elapsedMs())
      return nodes > 1 || window.shared
        ? checkShared(account, window, requests).then((wait) => orNone(window, wait))
        : orNone(window, pass(window, limitOf(account), requests))
    },
    loop: createLoop({
      name: 'http.countNodes',
      everyMs: 1_000,
      follows: NODES,
      restMs: REGISTER_MS,
      work: countNodes,
      log,
    }),
  }
}
