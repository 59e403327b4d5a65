import { idAt, type Statement, statement } from '../db/index.ts'

export const insertAction = statement(
  'operator.insertAction',
  `
  insert into operator.action (id, who, what, subject, why, at) values ($1, $2, $3, $4, $5, $6)
`,
)

export const insertOutcome = statement(
  'operator.insertOutcome',
  `
  insert into operator.outcome (action_id, done, change) values ($1, $2, $3)
`,
)

export type ActionRow = {
  id: string
  who: string
  what: string
  subject: string
  why: string
  at: Date
  done: boolean | null
  change: unknown
}

const FIRST_ID = `'00000000-0000-0000-0000-000000000000'::uuid`
const LAST_ID = `'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid`

/** Times are bounds of the ids, which begin with them. */
export const listActions = statement<ActionRow>(
  'operator.listActions',
  `
  select a.id, a.who, a.what, a.subject, a.why, a.at, o.done, o.change
    from operator.action a left join operator.outcome o on o.action_id = a.id
   where a.id < coalesce($1::uuid, ${LAST_ID})
     and a.id >= coalesce(${idAt('$5::timestamptz')}, ${FIRST_ID})
     and a.id < coalesce(${idAt('$6::timestamptz')}, ${LAST_ID})
     and ($3::text is null or a.who = $3) and ($4::text is null or a.subject = $4)
   order by a.id desc
   limit $2
`,
)

export type AdjustmentRow = {
  id: string
  account: string
  amount: bigint
  reason: string
  state: 'requested' | 'booked' | 'refused'
  requestedBy: string
  requestedAt: Date
  decidedBy: string | null
}

const ADJUSTMENT = `id, account_id as account, amount_sun as amount, reason, state, requested_by as "requestedBy",
  requested_at as "requestedAt", decided_by as "decidedBy"`

export const lockAdjuster = statement(
  'operator.lockAdjuster',
  `
  insert into operator.adjuster (who) values ($1) on conflict (who) do update set who = excluded.who
`,
)

/** A separate statement after the lock, so that it sees the rows committed during the wait. */
export const bookedAlone = statement<{ amount: bigint }>(
  'operator.bookedAlone',
  `
  select coalesce(sum(abs(amount_sun)), 0)::bigint as amount
    from operator.adjustment
   where requested_by = $1 and requested_at > $2 and state = 'booked' and decided_by is null
`,
)

export const insertAdjustment = statement<AdjustmentRow>(
  'operator.insertAdjustment',
  `
  insert into operator.adjustment (id, account_id, amount_sun, reason, state, requested_by, requested_at)
  values ($1, $2, $3, $4, $5, $6, $7)
  returning ${ADJUSTMENT}
`,
)

export const lockAdjustment = statement<AdjustmentRow>(
  'operator.lockAdjustment',
  `
  select ${ADJUSTMENT} from operator.adjustment where id = $1 for update
`,
)

export const decideAdjustment = statement<AdjustmentRow>(
  'operator.decideAdjustment',
  `
  update operator.adjustment set state = $2, decided_by = $3, decided_at = $4 where id = $1
  returning ${ADJUSTMENT}
`,
)

export const listAdjustments = statement<AdjustmentRow>(
  'operator.listAdjustments',
  `
  select ${ADJUSTMENT} from operator.adjustment order by state = 'requested' desc, id desc limit $1
`,
)

export const countRequested = statement<{ count: bigint; oldest: Date | null }>(
  'operator.countRequested',
  `
  select count(*) as count, min(requested_at) as oldest from operator.adjustment where state = 'requested'
`,
)

export const readOnly = statement('operator.readOnly', `set transaction read only`)

export const databaseTime = statement<{ at: Date }>(
  'operator.databaseTime',
  `select clock_timestamp() as at`,
)

let count = 0

/**
 * An operator's query, for a read-only transaction. It is named so that the driver prepares it, and a
 * prepared text is one statement: nothing after a semicolon is run.
 */
export function typed(text: string): Statement<Record<string, unknown>> {
  count += 1
  return { name: `operator.typed${count}`, text }
}
