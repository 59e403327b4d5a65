import { statement } from '../db/index.ts'

/**
 * A transfer that these books do not know, or that was asked for and not solid by them. Nothing when it is booked. Its
 * baseline stays, and a person decides all the same: charges since then may be lost.
 */
export const bookRecovered = statement<{ id: string }>(
  'treasury.bookRecovered',
  `
  insert into treasury.transfer as t
    (id, kind, provider, to_address, amount_sun, state, txid, signing_request, created_at, fee_sun, ended_at, trouble, due_at)
  values ($1, $2, $3, $4, $5, $6, $7, $1, $9, $8, $10, $11, case when $2 = 'top_up' then $10::timestamptz end)
  on conflict (txid) do update
    set state = excluded.state, fee_sun = excluded.fee_sun, ended_at = excluded.ended_at, trouble = excluded.trouble,
        due_at = excluded.due_at
     where t.state in ('requested', 'dead', 'refused')
  returning t.id
`,
)

/** Another transfer for the same need that has not ended. */
export const findOther = statement<{ id: string; state: string }>(
  'treasury.findOther',
  `
  select id, state from treasury.transfer
   where kind = $1 and kind = 'top_up' and provider = $2 and txid <> $3 and state in ('requested', 'solid', 'missing')
`,
)
