import { statement } from '../db/index.ts'

export type NoteRow = { id: string; text: string; who: string; at: Date }

/** Nothing when there is no such account. */
export const insertNote = statement<{ id: string }>(
  'identity.insertNote',
  `
  insert into identity.client_note (id, account_id, text, who, at)
  select $1, a.id, $3, $4, $5 from identity.account a where a.id = $2
  returning id
`,
)

export const listNotes = statement<NoteRow>(
  'identity.listNotes',
  `
  select id, text, who, at from identity.client_note where account_id = $1 order by id desc limit $2
`,
)
