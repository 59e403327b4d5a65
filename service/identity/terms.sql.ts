import { statement } from '../db/index.ts'
import type { Document } from './termsText.ts'

/** A text that is known stays as it was. */
export const insertText = statement(
  'identity.insertText',
  `
  insert into identity.terms_text (document, version, sha256, text, is_sample, first_shown_at) values ($1, $2, $3, $4, $5, $6)
  on conflict do nothing
`,
)

/** When a version was shown first, whatever its text. */
export const readFirstShown = statement<{ at: Date }>(
  'identity.readFirstShown',
  `
  select min(first_shown_at) as at from identity.terms_text where document = $1 and version = $2
`,
)

export const insertAcceptance = statement(
  'identity.insertAcceptance',
  `
  insert into identity.terms_acceptance (id, account_id, document, version, sha256, at, place) values ($1, $2, $3, $4, $5, $6, $7)
`,
)

export type AcceptanceRow = {
  document: Document
  version: string
  at: Date
  place: 'sign_up' | 'workspace'
}

/** Newest first. */
export const listAcceptances = statement<AcceptanceRow>(
  'identity.listAcceptances',
  `
  select document, version, at, place from identity.terms_acceptance where account_id = $1 order by id desc limit $2
`,
)
