import type { Db } from '../db/index.ts'
import { type Clock, type Log, within } from '../kernel/index.ts'
import { type AnnouncementRow, readShown } from './announcements.sql.ts'
import { type DayRow, readDays, readWatch } from './board.sql.ts'
import { dayOf } from './gap.ts'
import { readRecent } from './incidents.sql.ts'
import { type Incident, withUpdates } from './incidents.ts'
import { DAYS_SHOWN } from './retention.ts'

/** What everybody may know, as it was read. */
export type Read = {
  measuredAt: Date | null
  /** Nobody has measured for minutes, or never. */
  isSilent: boolean
  days: DayRow[]
  incidents: Incident[]
  /** Shown at the time of reading or later. */
  announcements: AnnouncementRow[]
}

/** `failingSince`: since then the database has not answered; `read` is of before, if there is any. */
export type Known = { read: Read | undefined; failingSince: Date | undefined }

export type Board = {
  /** From memory, at most seconds old. It never raises, and waits for the database for a second at most. */
  known(): Promise<Known>
  /** What is in memory is old: something was written. */
  forget(): void
}

const DAY_MS = 86_400_000
/** However many ask, the database is read this often at most. */
const KEPT_MS = 5_000
const WAIT_MS = 1_000
/** Five measurements. */
const SILENT_MS = 300_000
/** A database that hangs raises no error for 20 s. */
const OLD_MS = 15_000
const INCIDENTS_MAX = 50

/** What is shown to everybody, in the memory of each process: a storm of visitors costs the database nothing. */
export function createBoard(deps: { db: Db; clock: Clock; log: Log }): Board {
  const { db, clock, log } = deps
  let kept: { read: Read; atMs: number } | undefined
  let askedMs = Number.NEGATIVE_INFINITY
  let asked = 0
  let answered = 0
  let asking: Promise<void> | undefined
  let trouble: Date | undefined

  async function readNow(): Promise<Read> {
    const now = clock.now()
    const since = new Date(now.getTime() - DAYS_SHOWN * DAY_MS)
    const first = dayOf(now.getTime() - (DAYS_SHOWN - 1) * DAY_MS)
    const [[watch], days, incidents, announcements] = await Promise.all([
      db.query(readWatch),
      db.query(readDays, [first]),
      db.query(readRecent, [since, INCIDENTS_MAX]),
      db.query(readShown, [now]),
    ])
    const { measuredAt, silentMs } = watch!
    const isSilent = silentMs === null || Number(silentMs) > SILENT_MS
    return {
      measuredAt,
      isSilent,
      days,
      incidents: await withUpdates(db, incidents),
      announcements,
    }
  }

  // What was asked earlier may answer later; it must not bring back what was changed.
  async function refresh(turn: number, startedAt: Date) {
    try {
      const read = await readNow()
      if (turn < answered) return
      answered = turn
      kept = { read, atMs: clock.elapsedMs() }
      trouble = undefined
    } catch (error) {
      if (!trouble) log.warn('status_not_read', { error })
      trouble ??= startedAt
    } finally {
      if (turn === asked) asking = undefined
    }
  }

  return {
    async known() {
      const nowMs = clock.elapsedMs()
      if (!asking && nowMs >= askedMs + KEPT_MS) {
        askedMs = nowMs
        asked += 1
        asking = refresh(asked, clock.now())
      }
      if (asking) await within(WAIT_MS, asking, undefined)
      const ageMs = kept ? clock.elapsedMs() - kept.atMs : Number.POSITIVE_INFINITY
      const isOld = asking !== undefined && ageMs > OLD_MS
      const failingSince =
        trouble ?? (isOld ? new Date(clock.now().getTime() - WAIT_MS) : undefined)
      return { read: kept?.read, failingSince }
    },
    forget() {
      askedMs = Number.NEGATIVE_INFINITY
      asking = undefined
    },
  }
}
