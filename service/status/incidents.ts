import type { Component, Impact, Phase } from '@ergon/contract'
import type { Db, Queryable, Tx } from '../db/index.ts'
import type { Runtime } from '../kernel/index.ts'
import { faultOfComponents, faultOfText, faultOfTitle, unique } from './announcement.ts'
import {
  countUpdates,
  endIncident,
  type IncidentRow,
  insertIncident,
  insertUpdate,
  listIncidents,
  lockIncident,
  readUpdates,
  type UpdateRow,
  withdrawIncident,
} from './incidents.sql.ts'

export type Incident = IncidentRow & { updates: UpdateRow[] }
export type IncidentDraft = {
  title: string
  impact: Impact
  components: readonly Component[]
  text: string
}
type Changed = { id: string } | { fault: string }

/** Incidents that a person writes, and the updates of all of them. */
export type Incidents = {
  /** Open ones, then newest first. */
  list(): Promise<Incident[]>
  open(draft: IncidentDraft, who: string): Promise<Changed>
  /** `resolved` ends one that a person opened. Undefined: there is none with this id. */
  update(
    id: string,
    said: { phase: Phase; text: string; who: string },
  ): Promise<Changed | undefined>
  withdraw(id: string): Promise<Changed | undefined>
}

const LISTED_MAX = 100
/** One that has more is another incident. */
const UPDATES_MAX = 100

export function createIncidents(deps: { db: Db; runtime: Runtime; onChange(): void }): Incidents {
  const { db, runtime, onChange } = deps
  const { clock, ids } = runtime

  async function change(
    id: string,
    work: (tx: Tx, row: IncidentRow) => Promise<string | undefined>,
  ): Promise<Changed | undefined> {
    const changed = await db.transaction(async (tx) => {
      const [row] = await tx.query(lockIncident, [id])
      if (!row) return undefined
      if (row.withdrawnAt) return { fault: 'It is withdrawn already.' }
      const fault = await work(tx, row)
      return fault ? { fault } : { id }
    })
    onChange()
    return changed
  }

  return {
    list: async () => withUpdates(db, await db.query(listIncidents, [LISTED_MAX])),
    async open({ title, impact, components, text }, who) {
      const fault = faultOfTitle(title) ?? faultOfText(text) ?? faultOfComponents(components)
      if (fault) return { fault }
      const id = ids.next()
      const now = clock.now()
      await db.transaction(async (tx) => {
        const row = [id, null, impact, title.trim(), unique(components), now, null]
        await tx.query(insertIncident, row)
        const said = [ids.next(), id, 'investigating', text.trim(), who, now]
        await tx.query(insertUpdate, said)
      })
      onChange()
      return { id }
    },
    update: (id, { phase, text, who }) =>
      change(id, async (tx, row) => {
        const fault = faultOfText(text)
        if (fault) return fault
        const isEnd = phase === 'resolved' && !row.endedAt
        if (isEnd && row.cause) return 'It ends by itself when our measurements are normal again.'
        const { updates } = (await tx.query(countUpdates, [id]))[0]!
        if (updates >= BigInt(UPDATES_MAX)) {
          return `It has ${UPDATES_MAX} updates: open another incident.`
        }
        const now = clock.now()
        await tx.query(insertUpdate, [ids.next(), id, phase, text.trim(), who, now])
        if (isEnd) await tx.query(endIncident, [id, now])
        return undefined
      }),
    withdraw: (id) =>
      change(id, async (tx, row) => {
        if (row.cause) return 'What was measured stays: write an update that explains it.'
        await tx.query(withdrawIncident, [id, clock.now()])
        return undefined
      }),
  }
}

export async function withUpdates(
  db: Queryable,
  rows: readonly IncidentRow[],
): Promise<Incident[]> {
  if (rows.length === 0) return []
  const updates = await db.query(readUpdates, [rows.map(({ id }) => id)])
  return rows.map((row) => ({
    ...row,
    updates: updates.filter(({ incident }) => incident === row.id),
  }))
}
