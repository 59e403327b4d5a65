import { statement } from '../db/index.ts'

export type KeyHolder = { key: string; account: string; revoked: boolean; userRemoved: boolean }

export const findKey = statement<KeyHolder>(
  'identity.findKey',
  `
  select k.id as key, k.account_id as account, k.revoked_at is not null as revoked,
         u.removed_at is not null as "userRemoved"
    from identity.api_key k
    join identity.app_user u on u.id = k.user_id
   where k.key_hash = $1
`,
)

export const noteUses = statement(
  'identity.noteUses',
  `
  update identity.api_key set last_used_at = greatest(last_used_at, $2) where id = any ($1)
`,
)

export const readRevision = statement<{ number: bigint }>(
  'identity.readRevision',
  `
  select number from identity.revision
`,
)

export const findWallets = statement<{ id: string; wallet: string }>(
  'identity.findWallets',
  `
  select id, wallet_address as wallet from identity.account where id = any ($1)
`,
)
