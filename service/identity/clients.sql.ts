import { statement } from '../db/index.ts'

export const readGrouped = statement<{ account: string; group: string }>(
  'identity.readGrouped',
  `
  select id as account, group_name as "group" from identity.account where group_name is not null
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
