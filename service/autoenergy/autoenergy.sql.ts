import { statement } from '../db/index.ts'

/**
 * Subscriptions to settle. Those with undecided calls, pending ones, closed and paused ones are read in the order
 * of their ids, at most $2 with an id after $4, so that one client with many cannot delay the others. Those
 * of $5 are put aside, and those whose pause is over may wait for their Energy: both would fill the limit of
 * what is due.
 */
export const subscriptionsToSettle = statement<{ id: string; inTurn: boolean }>(
  'autoenergy.subscriptionsToSettle',
  `
  select id, bool_or(in_turn) as "inTurn" from (
    (select distinct subscription_id as id, true as in_turn from autoenergy.call
      where state = 'seen' and block_number is not null and subscription_id > $4
        and subscription_id <> all ($5::uuid[]) order by subscription_id limit $2)
    union all
    (select id, true from autoenergy.subscription
      where (status = 'pending_activation' or (status = 'closed' and live)) and id > $4
        and id <> all ($5::uuid[]) order by id limit $2)
    union all
    (select id, true from autoenergy.subscription
      where paused_until is not null and (reserved_sun > 0 or paused_until <= $1) and id > $4
        and id <> all ($5::uuid[]) order by id limit $2)
    union all
    (select id, false from autoenergy.subscription
      where due_at <= $1 and (paused_until > $1 or paused_until is null)
        and id <> all ($5::uuid[]) order by due_at limit $2)
    union all
    (select s.id, false from ledger.blocked_accounts() b join autoenergy.subscription s on s.account_id = b.account
      where s.status = 'active' and s.id <> all ($5::uuid[]) limit $2)
    union all
    (select id, false from autoenergy.subscription where address = any ($3) and status = 'active')
  ) s group by id order by id
`,
)

export const writeSwitch = statement(
  'autoenergy.writeSwitch',
  `
  update autoenergy.switch set enabled = $1, reason = $2
`,
)
