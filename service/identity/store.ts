import { statement } from '../db/index.ts'

export const insertAccount = statement(
  'identity.insertAccount',
  `
  insert into identity.account (id, name, created_at) values ($1, $2, $3)
`,
)

export const insertUser = statement(
  'identity.insertUser',
  `
  insert into identity.app_user (id, account_id, created_at) values ($1, $2, $3)
`,
)

export const insertKey = statement(
  'identity.insertKey',
  `
  insert into identity.api_key (id, account_id, user_id, key_hash, last_four, created_at)
  select $1, u.account_id, u.id, $3, $4, $5
    from identity.app_user u
   where u.account_id = $2 and u.removed_at is null
   order by u.created_at
   limit 1
  returning id
`,
)

export type KeyHolder = { account: string; revoked: boolean; userRemoved: boolean }

export const findKey = statement<KeyHolder>(
  'identity.findKey',
  `
  select k.account_id as account, k.revoked_at is not null as revoked,
         u.removed_at is not null as "userRemoved"
    from identity.api_key k
    join identity.app_user u on u.id = k.user_id
   where k.key_hash = $1
`,
)

export const revokeKey = statement<{ id: string }>(
  'identity.revokeKey',
  `
  update identity.api_key set revoked_at = $3
   where account_id = $1 and id = $2 and revoked_at is null
  returning id
`,
)

export const removeUsers = statement<{ id: string }>(
  'identity.removeUsers',
  `
  update identity.app_user set removed_at = $2
   where account_id = $1 and removed_at is null
  returning id
`,
)

export const bumpRevision = statement(
  'identity.bumpRevision',
  `
  update identity.revision set number = number + 1
`,
)

export const readRevision = statement<{ number: bigint }>(
  'identity.readRevision',
  `
  select number from identity.revision
`,
)

export const findWallet = statement<{ wallet: string }>(
  'identity.findWallet',
  `
  select wallet_address as wallet from identity.account where id = $1
`,
)
