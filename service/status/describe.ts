import {
  COMPONENT_IDS,
  COMPONENTS,
  type Component,
  type ComponentState,
  type DayState,
  type getPublicStatus,
  type Reply,
} from '@ergon/contract'
import { stateOf } from './announcement.ts'
import type { AnnouncementRow } from './announcements.sql.ts'
import type { DayRow } from './board.sql.ts'
import type { Known, Read } from './board.ts'
import { dayOf } from './gap.ts'
import type { Incident } from './incidents.ts'
import { DAYS_SHOWN } from './retention.ts'

export type PublicStatus = Reply<typeof getPublicStatus>
type ShownComponent = PublicStatus['components'][number]

const DAY_MS = 86_400_000
const METHOD =
  'Once a minute we look at what our own processes know: whether orders are sold and delivered in time, webhooks go out, blocks are read and servers answer. ' +
  'Each minute counts as operational, degraded, outage or maintenance of a component. Uptime is the share of minutes without an outage; maintenance is left out, ' +
  'and minutes in which the service did not run are an outage. Days before the first measurement have no data. Days are of UTC.'
/** What cannot work without the database. */
const NEED_DATABASE: readonly Component[] = ['api', 'purchases', 'agent']
/** The worst first. */
const ORDER: readonly ComponentState[] = [
  'outage',
  'degraded',
  'maintenance',
  'unknown',
  'operational',
]
const EMPTY: Read = {
  measuredAt: null,
  isSilent: true,
  days: [],
  incidents: [],
  announcements: [],
}

/** What everybody may know at this time. */
export function describe({ read = EMPTY, failingSince }: Known, now: Date): PublicStatus {
  const shown = read.announcements.filter(({ places }) => places.includes('status'))
  const windows = read.announcements.filter((row) => isUnderWay(row, now))
  const components = COMPONENT_IDS.map((id): ShownComponent => {
    const { state, since } = failingSince
      ? withoutDatabase(id, failingSince)
      : componentState(id, read, windows)
    const rows = read.days.filter(({ component }) => component === id)
    const days = daysOf(rows, now)
    const uptime = uptimeOf(rows.filter(({ day }) => day >= days[0]!.date))
    const name = COMPONENTS[id]
    return { id, name, state, since: isoOf(since), uptime_bps: uptime, days }
  })
  const state = ORDER.find((one) => components.some((component) => component.state === one))!
  return {
    state,
    message: messageOf(state, components, { read, failingSince }),
    measured_at: isoOf(read.measuredAt),
    stale: failingSince !== undefined,
    method: METHOD,
    components,
    incidents: read.incidents.map(shownIncident),
    maintenance: shown
      .filter((row) => row.kind === 'maintenance' && stateOf(row, now) !== 'over')
      .map((row) => ({
        ...shownNotice(row),
        until: row.until!.toISOString(),
        components: row.components,
        in_progress: isUnderWay(row, now),
      })),
    announcements: shown
      .filter((row) => row.kind === 'announcement' && stateOf(row, now) === 'current')
      .map((row) => ({ ...shownNotice(row), until: isoOf(row.until) })),
  }
}

export const isUnderWay = (row: AnnouncementRow, now: Date) =>
  row.kind === 'maintenance' && stateOf(row, now) === 'current'

type Now = { state: ComponentState; since: Date | null }

const withoutDatabase = (id: Component, since: Date): Now =>
  NEED_DATABASE.includes(id) ? { state: 'outage', since } : { state: 'unknown', since }

function componentState(id: Component, read: Read, windows: readonly AnnouncementRow[]): Now {
  const window = windows.find(({ components }) => components.includes(id))
  if (window) return { state: 'maintenance', since: window.from }
  const open = read.incidents.filter(
    ({ endedAt, components }) => endedAt === null && components.includes(id),
  )
  const worst = open.find(({ impact }) => impact === 'outage') ?? open[0]
  if (worst) return { state: worst.impact, since: worst.beganAt }
  return { state: read.isSilent ? 'unknown' : 'operational', since: null }
}

function messageOf(
  state: ComponentState,
  components: readonly ShownComponent[],
  { read, failingSince }: { read: Read; failingSince: Date | undefined },
): string {
  if (failingSince) {
    const known = read.measuredAt ? ' What follows was known before.' : ''
    return `Our database does not answer; we are working on it.${known}`
  }
  const names = components.filter((one) => one.state === state).map(({ name }) => name)
  const list = names.length === components.length ? 'everything' : names.join(', ')
  switch (state) {
    case 'operational':
      return 'Everything works.'
    case 'maintenance':
      return `Maintenance is under way: ${list}.`
    case 'degraded':
      return `Works with limits at the moment: ${list}.`
    case 'outage':
      return `Does not work at the moment: ${list}.`
    case 'unknown':
      return read.measuredAt ? 'Nothing was measured lately.' : 'Nothing was measured yet.'
  }
}

function daysOf(rows: readonly DayRow[], now: Date): ShownComponent['days'] {
  const byDay = new Map(rows.map((row) => [row.day, row]))
  return Array.from({ length: DAYS_SHOWN }, (_, place) => {
    const date = dayOf(now.getTime() - (DAYS_SHOWN - 1 - place) * DAY_MS)
    const row = byDay.get(date)
    if (!row) return { date, state: 'no_data', uptime_bps: null, minutes: 0 }
    const minutes = Number(row.operational + row.degraded + row.outage + row.maintenance)
    return { date, state: dayState(row), uptime_bps: uptimeOf([row]), minutes }
  })
}

function dayState({ operational, degraded, outage, maintenance }: DayRow): DayState {
  if (outage > 0n) return 'outage'
  if (degraded > 0n) return 'degraded'
  if (maintenance > 0n) return 'maintenance'
  return operational > 0n ? 'operational' : 'no_data'
}

/** Rounded down: a minute of outage never becomes 100 %. */
function uptimeOf(rows: readonly DayRow[]): number | null {
  const sum = (of: (row: DayRow) => bigint) => rows.reduce((all, row) => all + of(row), 0n)
  const up = sum(({ operational, degraded }) => operational + degraded)
  const all = up + sum(({ outage }) => outage)
  return all === 0n ? null : Number((up * 10_000n) / all)
}

export const shownIncident = (one: Incident) => ({
  id: one.id,
  title: one.title,
  origin: one.cause ? ('automatic' as const) : ('written' as const),
  impact: one.impact,
  components: one.components,
  began_at: one.beganAt.toISOString(),
  ended_at: isoOf(one.endedAt),
  updates: one.updates.map(({ at, phase, text }) => ({
    at: at.toISOString(),
    phase: phase as PublicStatus['incidents'][number]['updates'][number]['phase'],
    text,
  })),
})

export const shownNotice = ({ id, severity, title, text, link, from }: AnnouncementRow) => ({
  id,
  severity,
  title,
  text,
  link,
  from: from.toISOString(),
})

export const isoOf = (at: Date | null) => at?.toISOString() ?? null
