import { statement } from '../db/index.ts'

export const insertRequests = statement(
  'signing.insertRequests',
  `
  insert into signing.request
    (id, purpose, owner_address, raw_bytes, txid, expires_at, position, payout_id, attempt, created_at)
  select g.*, $10
    from unnest($1::uuid[], $2::text[], $3::text[], $4::bytea[], $5::text[], $6::timestamptz[], $7::bigint[],
                $8::uuid[], $9::bigint[]) as g
`,
)

export type SignedRow = {
  id: string
  txid: string
  raw: Buffer
  signature: string | null
  expiresAt: Date
}

/**
 * Locks answers so that two workers do not take the same ones; the mark is written in the same
 * transaction. Refused ones are marked too, so that they are not read again.
 */
export const claimSigned = statement<SignedRow>(
  'signing.claimSigned',
  `
  with ready as (
    select r.id
      from signing.request r
     where not r.handed_over
       and exists (select from signing.answer a where a.request_id = r.id)
       and r.id <> all ($2::uuid[])
     order by r.id
     limit $1
       for update skip locked
  )
  update signing.request r set handed_over = true
    from ready join signing.answer a on a.request_id = ready.id
   where r.id = ready.id
  returning r.id, r.txid, r.raw_bytes as raw, a.signature, r.expires_at as "expiresAt"
`,
)

export type AnswerRow = { id: string; state: 'signed' | 'refused'; reason: string | null }

export const readAnswers = statement<AnswerRow>(
  'signing.readAnswers',
  `
  select request_id as id, state, reason from signing.answer where request_id = any ($1)
`,
)

export type TimesRow = { txid: string; askedAt: Date; answeredAt: Date | null }

/** When signatures were asked for and answered. */
export const readTimes = statement<TimesRow>(
  'signing.readTimes',
  `
  select r.txid, r.created_at as "askedAt", a.answered_at as "answeredAt"
    from signing.request r left join signing.answer a on a.request_id = r.id
   where r.txid = any ($1)
`,
)

/** The permissions under which stakes' transactions are signed; no row: as the owner. */
export const findPermissions = statement<{ address: string; permissionId: bigint }>(
  'signing.findPermissions',
  `
  select address, permission_id as "permissionId" from signing.address
   where address = any ($1) and permission_id is not null
`,
)

export const countWaiting = statement<{ count: bigint; oldest: Date | null }>(
  'signing.countWaiting',
  `
  select count(*) as count, min(r.created_at) as oldest
    from signing.request r
   where not r.handed_over
     and not exists (select from signing.answer a where a.request_id = r.id)
`,
)

/** The service's only way to turn it. */
export const turnOff = statement('signing.turnOff', `select signing.turn_off($1)`)

/** Beginning of the refusal of a payout that lacks a second operator's approval. */
export const ONE_APPROVAL = 'a payout needs the approval of a second operator'

/** By wall time, as answers are written. Payouts that wait for a second operator do not count. */
export const countRefused = statement<{ count: bigint; oldest: Date | null }>(
  'signing.countRefused',
  `
  select count(*) as count, min(answered_at) as oldest
    from signing.answer
   where state = 'refused' and answered_at > $1 and not starts_with(reason, '${ONE_APPROVAL}')
`,
)
