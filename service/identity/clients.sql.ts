import { statement } from '../db/index.ts'

export const readGrouped = statement<{ account: string; group: string }>(
  'identity.readGrouped',
  `
  select id as account, group_name as "group" from identity.account where group_name is not null
`,
)

export const readLimits = statement<{
  account: string
  requests: bigint | null
  credit: bigint | null
  orderMax: bigint | null
}>(
  'identity.readLimits',
  `
  select account_id as account, requests_per_minute as requests, unverified_credit_sun as credit,
         order_energy_max as "orderMax"
    from identity.client_limit
   where requests_per_minute is not null or unverified_credit_sun is not null or order_energy_max is not null
`,
)

/** Nothing when there is no such account. */
export const writeLimits = statement<{ account: string }>(
  'identity.writeLimits',
  `
  insert into identity.client_limit (account_id, requests_per_minute, unverified_credit_sun, order_energy_max)
  select a.id, $2, $3, $4 from identity.account a where a.id = $1
  on conflict (account_id) do update
    set requests_per_minute = excluded.requests_per_minute, unverified_credit_sun = excluded.unverified_credit_sun,
        order_energy_max = excluded.order_energy_max
  returning account_id as account
`,
)

export type GroupRow = { name: string; accounts: bigint; createdAt: Date }

export const listGroups = statement<GroupRow>(
  'identity.listGroups',
  `
  select g.name, (select count(*) from identity.account a where a.group_name = g.name) as accounts,
         g.created_at as "createdAt"
    from identity.client_group g
   order by g.name
`,
)

/** Nothing when there is one of this name. */
export const insertGroup = statement<{ name: string }>(
  'identity.insertGroup',
  `
  insert into identity.client_group (name, created_at) values ($1, $2) on conflict do nothing
  returning name
`,
)

/** The group before; nothing when there is no such account. */
export const moveToGroup = statement<{ before: string | null }>(
  'identity.moveToGroup',
  `
  update identity.account a set group_name = $2
    from (select id, group_name from identity.account where id = $1 for update) b
   where a.id = b.id
  returning b.group_name as before
`,
)
