import { COMPONENT_IDS, type Component, type Impact } from '@ergon/contract'
import type { Db, Tx } from '../db/index.ts'
import { createLoop, type Log, type Loop, type Runtime } from '../kernel/index.ts'
import { CAUSES, type Cause, type Evidence, isCause, isWorse } from './cause.ts'
import { dayOf, type Minutes, minutesOfGap } from './gap.ts'
import {
  endIncident,
  type IncidentRow,
  insertIncident,
  insertUpdate,
  lockOpen,
  raiseImpact,
  reopenIncident,
} from './incidents.sql.ts'
import { addMinutes, claimMinute, readWindows } from './measure.sql.ts'
import { DAYS_SHOWN } from './retention.ts'

export type Measure = {
  /** Measures this minute, unless it was measured. False: it was, or another process does it. */
  measure(): Promise<boolean>
  loop: Loop
}

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
/** Two processes whose clocks differ by less count one minute. */
const CLOSE_MS = 55_000
const LOOK_MS = 15_000
/** A process that has just started has read no offers and no block. */
const START_MS = 15_000
/** Three minutes without a measurement: the service did not run. A restart takes less. */
const GAP_MS_MIN = 3 * MINUTE_MS
/** What comes back within this time is the same incident. */
const SAME_MS = 15 * MINUTE_MS

/** Writes down once a minute what each component is, and opens and closes incidents by what it finds. */
export function createMeasure(deps: {
  db: Db
  runtime: Runtime
  log: Log
  evidence(): Promise<Evidence>
  onChange(): void
}): Measure {
  const { db, runtime, log, evidence, onChange } = deps
  const { clock, ids } = runtime
  let dueMs = clock.elapsedMs() + START_MS

  const say = (tx: Tx, incident: string, phase: string, text: string) =>
    tx.query(insertUpdate, [ids.next(), incident, phase, text, '', clock.now()])

  /** False: another process measures, or has measured this minute. */
  const claim = (now: Date) =>
    db.transaction(async (tx) => {
      const [row] = await tx.query(claimMinute, [now, new Date(now.getTime() - CLOSE_MS)])
      if (!row) return false
      if (row.gapMs !== null && Number(row.gapMs) > GAP_MS_MIN) {
        await bookGap(tx, now, Number(row.gapMs))
      }
      return true
    })

  /** The service did not run: nobody else can say so afterwards. */
  async function bookGap(tx: Tx, now: Date, gapMs: number) {
    const from = new Date(now.getTime() - Math.min(gapMs, DAYS_SHOWN * DAY_MS))
    const windows = await tx.query(readWindows, [from, now])
    const minutes = minutesOfGap({ from, until: now }, COMPONENT_IDS, windows)
    await add(tx, minutes)
    const out = new Set(
      minutes.filter(({ state }) => state === 'outage').map(({ component }) => component),
    )
    if (out.size === 0) return
    const { title, text } = CAUSES.not_running
    const id = ids.next()
    await tx.query(insertIncident, [id, 'not_running', 'outage', title, [...out], from, now])
    await say(tx, id, 'resolved', text)
    log.warn('status_gap', { minutes: Math.round(gapMs / MINUTE_MS) })
  }

  async function open(tx: Tx, cause: Cause, impact: Impact, components: readonly Component[]) {
    const { title, text } = CAUSES[cause]
    const now = clock.now()
    const since = new Date(now.getTime() - SAME_MS)
    const [same] = await tx.query(reopenIncident, [cause, since, impact])
    const id = same?.id ?? ids.next()
    const row = [id, cause, impact, title, components, now, null]
    if (!same) await tx.query(insertIncident, row)
    await say(tx, id, 'investigating', same ? `It has come back. ${text}` : text)
    log.warn('incident_opened', { name: cause })
    return { cause, impact, components: same ? [...CAUSES[cause].components] : components }
  }

  /** What is open after this look, besides what was ended by it. */
  async function follow(tx: Tx, found: Evidence, inMaintenance: ReadonlySet<string>) {
    const before = await tx.query(lockOpen)
    const causes = new Map(found.findings.map(({ cause, impact }) => [cause, impact]))
    const still: Pick<IncidentRow, 'impact' | 'components'>[] = []
    for (const row of before) {
      const now = row.cause && isCause(row.cause) ? causes.get(row.cause) : undefined
      const isOver = row.cause !== null && !now && !found.unknown.includes(row.cause as Cause)
      if (isOver) {
        await tx.query(endIncident, [row.id, clock.now()])
        await say(tx, row.id, 'resolved', 'Our measurements are normal again.')
        log.info('incident_ended', { name: row.cause! })
        continue
      }
      if (now && isWorse(now, row.impact)) await tx.query(raiseImpact, [row.id])
      // A minute counts as what it is, not as the worst of its incident.
      still.push(row.cause && now ? { ...row, impact: now } : row)
    }
    for (const [cause, impact] of causes) {
      if (before.some((row) => row.cause === cause)) continue
      const touched = CAUSES[cause].components.filter((one) => !inMaintenance.has(one))
      if (touched.length === 0) continue
      const opened = await open(tx, cause, impact, touched)
      still.push({ impact, components: [...opened.components] })
    }
    return still
  }

  async function measure(): Promise<boolean> {
    const now = clock.now()
    if (!(await claim(now))) return false
    const found = await evidence()
    await db.transaction(async (tx) => {
      const windows = await tx.query(readWindows, [now, now])
      const inMaintenance = new Set(windows.flatMap(({ components }) => components))
      const open = await follow(tx, found, inMaintenance)
      const blind = new Set<Component>(
        found.unknown.flatMap((cause) => [...CAUSES[cause].components]),
      )
      const day = dayOf(now.getTime())
      const minutes = COMPONENT_IDS.flatMap((component): Minutes[] => {
        const touching = open.filter(({ components }) => components.includes(component))
        const isOut = touching.some(({ impact }) => impact === 'outage')
        const worst = isOut ? 'outage' : touching.length > 0 ? 'degraded' : 'operational'
        if (inMaintenance.has(component)) {
          return [{ day, component, state: 'maintenance', minutes: 1n }]
        }
        // A minute of which nothing is known is no good minute.
        if (worst === 'operational' && blind.has(component)) return []
        return [{ day, component, state: worst, minutes: 1n }]
      })
      await add(tx, minutes)
    })
    onChange()
    return true
  }

  return {
    measure,
    loop: createLoop({
      name: 'status.measure',
      everyMs: LOOK_MS,
      log,
      async work() {
        if (clock.elapsedMs() < dueMs) return 0
        dueMs = clock.elapsedMs() + MINUTE_MS
        await measure()
        return 0
      },
    }),
  }
}

const add = (tx: Tx, minutes: readonly Minutes[]) =>
  tx.query(addMinutes, [
    minutes.map(({ day }) => day),
    minutes.map(({ component }) => component),
    minutes.map(({ state }) => state),
    minutes.map(({ minutes: count }) => count),
  ])
