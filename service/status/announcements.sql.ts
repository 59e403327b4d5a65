import { statement } from '../db/index.ts'

export type AnnouncementRow = {
  id: string
  kind: 'announcement' | 'maintenance'
  severity: 'info' | 'warning' | 'critical'
  title: string
  text: string
  link: string | null
  from: Date
  until: Date | null
  components: string[]
  places: string[]
  writtenBy: string
  writtenAt: Date
  withdrawnAt: Date | null
}

const COLUMNS = `a.id, a.kind, a.severity, a.title, a.text, a.link, a.from_at as "from", a.until_at as until, a.components, a.places,
         a.written_by as "writtenBy", a.written_at as "writtenAt", a.withdrawn_at as "withdrawnAt"`

/** Newest first, with what is over and withdrawn. */
export const listAnnouncements = statement<AnnouncementRow>(
  'status.listAnnouncements',
  `
  select ${COLUMNS} from status.announcement a order by a.id desc limit $1
`,
)

/** Shown at $1 or later. */
export const readShown = statement<AnnouncementRow>(
  'status.readShown',
  `
  select ${COLUMNS} from status.announcement a
   where a.withdrawn_at is null and (a.until_at is null or a.until_at > $1)
   order by a.from_at, a.id
`,
)

export const lockAnnouncement = statement<AnnouncementRow>(
  'status.lockAnnouncement',
  `
  select ${COLUMNS} from status.announcement a where a.id = $1 for update
`,
)

/** Held by whoever writes: two windows are compared with each other. */
export const lockWriting = statement(
  'status.lockWriting',
  `
  select from status.watch for update
`,
)

/** Maintenance that overlaps $1 to $2 and touches one of $3, besides $4. */
export const findOverlap = statement<{ title: string }>(
  'status.findOverlap',
  `
  select a.title from status.announcement a
   where a.kind = 'maintenance' and a.withdrawn_at is null and a.components && $3::text[] and a.id is distinct from $4
     and a.from_at < $2 and a.until_at > $1
   order by a.from_at limit 1
`,
)

export const insertAnnouncement = statement(
  'status.insertAnnouncement',
  `
  insert into status.announcement
    (id, kind, severity, title, text, link, from_at, until_at, components, places, written_by, written_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
`,
)

export const replaceAnnouncement = statement(
  'status.replaceAnnouncement',
  `
  update status.announcement
     set severity = $2, title = $3, text = $4, link = $5, from_at = $6, until_at = $7, components = $8, places = $9
   where id = $1
`,
)

export const endAnnouncement = statement(
  'status.endAnnouncement',
  `
  update status.announcement set until_at = $2 where id = $1
`,
)

export const withdrawAnnouncement = statement(
  'status.withdrawAnnouncement',
  `
  update status.announcement set withdrawn_at = $2 where id = $1
`,
)

export const listDismissed = statement<{ id: string }>(
  'status.listDismissed',
  `
  select announcement_id as id from status.dismissal where account_id = $1
`,
)

export const insertDismissal = statement(
  'status.insertDismissal',
  `
  insert into status.dismissal (account_id, announcement_id, at) values ($1, $2, $3) on conflict do nothing
`,
)
