import type { Db } from '../db/index.ts'
import type { Log, Runtime } from '../kernel/index.ts'
import { stateOf } from './announcement.ts'
import type { AnnouncementRow } from './announcements.sql.ts'
import { type Announcements, createAnnouncements } from './announcements.ts'
import { type Board, createBoard } from './board.ts'
import type { Evidence } from './cause.ts'
import { describe, type PublicStatus } from './describe.ts'
import { createIncidents, type Incidents } from './incidents.ts'
import { createMeasure, type Measure } from './measure.ts'

export type Status = {
  announcements: Announcements
  incidents: Incidents
  measure: Measure
  /** What everybody may know now; the same object while it says the same, so that answers can be kept with it. */
  now(): Promise<Told>
  /** Current ones, and maintenance to come, for one place: maintenance under way first. From memory. */
  shownAt(place: 'workspace' | 'pay'): Promise<AnnouncementRow[]>
  board: Board
}

/** The status, and the bytes of its answer. */
export type Told = { shown: PublicStatus; body: string }

/** `evidence` comes from the rooms above. */
export function createStatus(deps: {
  db: Db
  runtime: Runtime
  log: Log
  evidence(): Promise<Evidence>
}): Status {
  const { clock } = deps.runtime
  const board = createBoard({ ...deps, clock })
  const onChange = () => board.forget()
  let kept: { of: object | undefined; failing: number; second: number } | undefined
  let told: Told | undefined

  return {
    announcements: createAnnouncements({ ...deps, onChange }),
    incidents: createIncidents({ ...deps, onChange }),
    measure: createMeasure({ ...deps, onChange }),
    board,
    async now() {
      const known = await board.known()
      const now = clock.now()
      const second = Math.floor(now.getTime() / 1_000)
      const failing = known.failingSince?.getTime() ?? 0
      const isSame = kept?.of === known.read && kept?.failing === failing && kept.second === second
      if (isSame && told) return told
      kept = { of: known.read, failing, second }
      const shown = describe(known, now)
      const body = JSON.stringify(shown)
      if (told?.body !== body) told = { shown, body }
      return told
    },
    async shownAt(place) {
      const { read } = await board.known()
      const now = clock.now()
      const rows = (read?.announcements ?? []).filter((row) => {
        const state = stateOf(row, now)
        const isTold = state === 'current' || (state === 'upcoming' && row.kind === 'maintenance')
        return isTold && row.places.includes(place)
      })
      return rows.toSorted((a, b) => rankOf(a, now) - rankOf(b, now))
    },
  }
}

/** Maintenance under way, then announcements by severity, then what is to come. */
function rankOf(row: AnnouncementRow, now: Date): number {
  if (row.kind === 'maintenance') return stateOf(row, now) === 'current' ? 0 : 4
  return { critical: 1, warning: 2, info: 3 }[row.severity]
}
