import type { Db, Tx } from '../db/index.ts'
import type { Runtime } from '../kernel/index.ts'
import { type Draft, faultOf, stateOf, tidied } from './announcement.ts'
import {
  type AnnouncementRow,
  endAnnouncement,
  findOverlap,
  insertAnnouncement,
  insertDismissal,
  listAnnouncements,
  listDismissed,
  lockAnnouncement,
  lockWriting,
  readShown,
  replaceAnnouncement,
  withdrawAnnouncement,
} from './announcements.sql.ts'

/** What it was before, or why it cannot be done. */
export type Changed = { id: string; before: AnnouncementRow | null } | { fault: string } | undefined

export type Announcements = {
  /** Newest first, with what is over and withdrawn. */
  list(): Promise<AnnouncementRow[]>
  write(draft: Draft, who: string): Promise<Exclude<Changed, undefined>>
  /** Undefined: there is none with this id. The kind stays. */
  edit(id: string, draft: Omit<Draft, 'kind'>): Promise<Changed>
  end(id: string): Promise<Changed>
  withdraw(id: string): Promise<Changed>
  /** Ids that the account has dismissed. */
  dismissedBy(account: string): Promise<ReadonlySet<string>>
  dismiss(account: string, id: string): Promise<void>
}

const LISTED_MAX = 100
/** More than this on one page is read by nobody. */
const SHOWN_MAX = 20

/** Announcements and maintenance windows. `onChange`: what is kept in memory is old. */
export function createAnnouncements(deps: {
  db: Db
  runtime: Runtime
  onChange(): void
}): Announcements {
  const { db, runtime, onChange } = deps
  const { clock, ids } = runtime

  /** Checks a draft under the lock of all writers. */
  async function faultIn(tx: Tx, draft: Draft, own?: AnnouncementRow) {
    const fault = faultOf(draft, clock.now(), own?.from)
    if (fault) return fault
    await tx.query(lockWriting)
    const shown = await tx.query(readShown, [clock.now()])
    if (!own && shown.length >= SHOWN_MAX) {
      return `At most ${SHOWN_MAX} are shown or planned at a time: end or withdraw one first.`
    }
    if (draft.kind !== 'maintenance') return undefined
    const asked = [draft.from, draft.until, draft.components, own?.id ?? null]
    const [overlap] = await tx.query(findOverlap, asked)
    if (!overlap) return undefined
    return `Another maintenance touches the same component at that time: "${overlap.title}".`
  }

  /** Runs `work` on one that is not over. */
  async function change(
    id: string,
    work: (tx: Tx, row: AnnouncementRow) => Promise<string | undefined>,
  ): Promise<Changed> {
    const changed = await db.transaction(async (tx): Promise<Changed> => {
      const [row] = await tx.query(lockAnnouncement, [id])
      if (!row) return undefined
      const state = stateOf(row, clock.now())
      if (state === 'withdrawn' || state === 'over') return { fault: `It is ${state} already.` }
      const fault = await work(tx, row)
      return fault ? { fault } : { id, before: row }
    })
    onChange()
    return changed
  }

  return {
    list: () => db.query(listAnnouncements, [LISTED_MAX]),
    async write(written, who) {
      const draft = tidied(written)
      const id = ids.next()
      const fault = await db.transaction(async (tx) => {
        const found = await faultIn(tx, draft)
        if (found) return found
        const { kind, ...rest } = draft
        await tx.query(insertAnnouncement, [id, kind, ...columnsOf(rest), who, clock.now()])
        return undefined
      })
      onChange()
      return fault ? { fault } : { id, before: null }
    },
    edit: (id, written) =>
      change(id, async (tx, row) => {
        const { kind, ...draft } = tidied({ ...written, kind: row.kind })
        const fault = await faultIn(tx, { ...draft, kind }, row)
        if (fault) return fault
        await tx.query(replaceAnnouncement, [id, ...columnsOf(draft)])
        return undefined
      }),
    end: (id) =>
      change(id, async (tx, row) => {
        if (row.from >= clock.now()) return 'It has not begun: withdraw it.'
        await tx.query(endAnnouncement, [id, clock.now()])
        return undefined
      }),
    withdraw: (id) =>
      change(id, async (tx) => {
        await tx.query(withdrawAnnouncement, [id, clock.now()])
        return undefined
      }),
    async dismissedBy(account) {
      return new Set((await db.query(listDismissed, [account])).map(({ id }) => id))
    },
    async dismiss(account, id) {
      await db.query(insertDismissal, [account, id, clock.now()])
    },
  }
}

const columnsOf = (draft: Omit<Draft, 'kind'>) => [
  draft.severity,
  draft.title,
  draft.text,
  draft.link,
  draft.from,
  draft.until,
  draft.components,
  draft.places,
]
