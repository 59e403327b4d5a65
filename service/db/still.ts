import pg from 'pg'
import { createLoop, type Doors, type Log, type Loop, within } from '../kernel/index.ts'
import type { Queryable } from './pool.ts'
import { isUnreached } from './servers.ts'
import { lookAround } from './store.ts'

/**
 * Whether what a process has read can have changed. It changes it itself by statements that say so
 * (`moves`), and so may everybody else who is connected and has the right to. While nobody else is, what
 * was read stays as it was until the next such statement, and need not be read again.
 *
 * The server's list of sessions shows who is there. A process looks at it all the time, and one that comes
 * gives the others time to look before it moves anything (docs/decisions/0056-still.md).
 */
export type Still = {
  /** As long as it is the same number nothing has moved. Undefined: somebody may be moving something. */
  now(): number | undefined
  /** A connection of ours is there. */
  arrive(client: object): void
  /** Before a statement that moves goes over a connection: there may be something to wait for. */
  begin(client: object): Promise<void> | undefined
  /** When it is known what became of it, or known that it cannot be: then with the error. */
  end(lost?: unknown): void
  /** A session of ours was lost, perhaps all of them. */
  interrupt(): void
  loop: Loop | undefined
}

const LOOK_MS = 250
/** That nobody else was there is believed for so long, from the beginning of the look. */
const BELIEVED_MS = 500
/** So long nobody else was there: time to come back for one that lost its sessions. */
const ALONE_MS = 5_000
/** Whoever has been there for so long was seen by all others. */
const PRESENT_MS = 2 * BELIEVED_MS
/** That we were seen holds for so long after a look: the others wait for `ALONE_MS`, and a statement takes its time. */
const SEEN_MS = 2_000
/** A statement whose answer was lost may still be at work: longer than a server lets one be. */
const LOST_MS = 60_000
/** No number is kept for longer, whatever there may be that no look shows. */
const KEPT_MS = 5_000

/** For whoever goes by nothing that it has read, and moves nothing beside others that do. */
export const neverStill: Still = {
  now: () => undefined,
  arrive() {},
  begin: () => undefined,
  end() {},
  interrupt() {},
  loop: undefined,
}

export function createStill(parts: {
  /** A connection for looks alone: they wait for nobody, and it shows us to the others. */
  watch: Queryable
  /** What the names of this process's sessions end with. */
  tag: string
  timeline(): number
  doors: Doors
  log: Log
}): Still {
  const { watch, tag, doors, log } = parts
  const { clock } = doors
  const arrivals = new WeakMap<object, number>()
  let number = 0
  let renewedMs = 0
  let underWay = 0
  let timeline = parts.timeline()
  let sessions: bigint | undefined
  let hadCome = false
  let lookedMs = Number.NEGATIVE_INFINITY
  let presentSinceMs = Number.POSITIVE_INFINITY
  let aloneSinceMs: number | undefined
  let lostUntilMs = 0
  let looking: Promise<number> | undefined

  /** Says how many others there are that may be going by what they have read. */
  async function look(): Promise<number> {
    const beganMs = clock.elapsedMs()
    const [around] = await watch.query(lookAround, [tag]).catch((error) => {
      interrupt()
      throw error
    })
    const { others, keepers, presentMs } = around!
    const hasCome = around!.sessions !== sessions
    const hasMissed = beganMs - lookedMs > BELIEVED_MS || timeline !== parts.timeline()
    if (others > 0 || hasMissed) interrupt()
    else aloneSinceMs ??= beganMs
    lookedMs = beganMs
    presentSinceMs = beganMs - presentMs
    timeline = parts.timeline()
    sessions = around!.sessions
    // And at the look after that: whoever was counted and not yet listed was still to move something.
    if (hasCome || hadCome || beganMs - renewedMs > KEPT_MS - LOOK_MS) renew()
    hadCome = hasCome
    return keepers
  }

  function lookOnce(): Promise<number> {
    looking ??= look().finally(() => {
      looking = undefined
    })
    return looking
  }

  function renew() {
    renewedMs = clock.elapsedMs()
    number += 1
  }

  function interrupt() {
    renew()
    aloneSinceMs = undefined
  }

  /** Whatever a look says, the connection that the statement goes over shows us meanwhile. */
  async function letOthersLook() {
    const shownMs = clock.elapsedMs() + PRESENT_MS
    const unknown = lookOnce().catch(() => undefined)
    if ((await within(PRESENT_MS, unknown, undefined)) === 0) return
    await within(Math.max(shownMs - clock.elapsedMs(), 0), new Promise(() => {}), undefined)
  }

  return {
    now() {
      if (aloneSinceMs === undefined || underWay > 0 || timeline !== parts.timeline())
        return undefined
      const nowMs = clock.elapsedMs()
      const isAlone = nowMs - lookedMs < BELIEVED_MS && nowMs - aloneSinceMs >= ALONE_MS
      return isAlone && nowMs - renewedMs < KEPT_MS && nowMs >= lostUntilMs ? number : undefined
    },
    arrive(client) {
      arrivals.set(client, clock.elapsedMs())
    },
    begin(client) {
      renew()
      underWay += 1
      const nowMs = clock.elapsedMs()
      // By the connection itself, whether or not we can look; or by others of ours that were there before it.
      const isOld = nowMs - (arrivals.get(client) ?? nowMs) >= PRESENT_MS
      const isSeen = nowMs - presentSinceMs >= PRESENT_MS && nowMs - lookedMs < SEEN_MS
      return isOld || isSeen ? undefined : letOthersLook()
    },
    end(lost) {
      renew()
      underWay -= 1
      // Whatever the server itself says of a statement, it has done with it.
      const isKnown = lost === undefined || lost instanceof pg.DatabaseError || isUnreached(lost)
      if (!isKnown) lostUntilMs = clock.elapsedMs() + LOST_MS
    },
    interrupt,
    loop: createLoop({
      name: 'db.lookAround',
      everyMs: LOOK_MS,
      log,
      work: () => lookOnce().then(() => 0),
    }),
  }
}
