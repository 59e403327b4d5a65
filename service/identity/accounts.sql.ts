import { statement } from '../db/index.ts'

export const insertAccount = statement(
  'identity.insertAccount',
  `
  insert into identity.account (id, name, created_at, referral_code) values ($1, $2, $3, $4)
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
  insert into identity.api_key (id, account_id, user_id, key_hash, last_four, created_at, name, note)
  select $1, u.account_id, u.id, $3, $4, $5, $6, $7
    from identity.app_user u
   where u.account_id = $2 and u.removed_at is null
   order by u.created_at
   limit 1
  returning id
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

export type KeyRow = {
  id: string
  name: string
  note: string
  lastFour: string
  createdAt: Date
  lastUsedAt: Date | null
}

const KEY = `id, name, note, last_four as "lastFour", created_at as "createdAt", last_used_at as "lastUsedAt"`

export const listKeys = statement<KeyRow>(
  'identity.listKeys',
  `
  select ${KEY}
    from identity.api_key
   where account_id = $1 and revoked_at is null
   order by created_at desc, id desc
`,
)

/** Null leaves the name or the note as it is. */
export const describeKey = statement<KeyRow>(
  'identity.describeKey',
  `
  update identity.api_key set name = coalesce($3, name), note = coalesce($4, note)
   where account_id = $1 and id = $2 and revoked_at is null
  returning ${KEY}
`,
)

export const insertSignUp = statement(
  'identity.insertSignUp',
  `
  insert into identity.sign_up (login, account_id, referral_code, created_at) values ($1, $2, $3, $4)
`,
)

/** Never changes once the account is made. */
export const findReferralCode = statement<{ code: string }>(
  'identity.findReferralCode',
  `
  select referral_code as code from identity.account where id = $1
`,
)

export type ProfileRow = { name: string; referralCode: string; wallet: string; present: boolean }

/** `present`: the account's user has not been removed. */
export const readProfile = statement<ProfileRow>(
  'identity.readProfile',
  `
  select a.name, a.referral_code as "referralCode", a.wallet_address as wallet,
         exists (select from identity.app_user u where u.account_id = a.id and u.removed_at is null) as present
    from identity.account a
   where a.id = $1
`,
)

/** Nothing when another account has the wallet. */
export const linkWallet = statement<{ id: string }>(
  'identity.linkWallet',
  `
  update identity.account a set wallet_address = $2
   where a.id = $1
     and not exists (select from identity.account o where o.wallet_address = $2 and $2 <> '' and o.id <> $1)
  returning a.id
`,
)

export type FoundAccount = {
  id: string
  name: string
  login: string | null
  wallet: string
  createdAt: Date
  present: boolean
  group: string | null
}

const FOUND = `a.id, a.name, s.login, a.wallet_address as wallet, a.created_at as "createdAt", a.group_name as "group",
         exists (select from identity.app_user u where u.account_id = a.id and u.removed_at is null) as present
    from identity.account a left join identity.sign_up s on s.account_id = a.id`

/** $1 is a whole login or wallet; $2 is an id, or an account found by other means. By indexes alone. */
export const findExactly = statement<FoundAccount>(
  'identity.findExactly',
  `
  select ${FOUND}
   where a.id = any (array(
           select $2::uuid
           union all select w.id from identity.account w where w.wallet_address = $1 and w.wallet_address <> ''
           union all select l.account_id from identity.sign_up l where l.login = lower($1)))
   order by a.id desc
`,
)

/** $1 is part of a name or login, the name of a group, or empty. Newest first: ids begin with their time, and reading them ends at the limit. */
export const namesOf = statement<{ id: string; name: string }>(
  'identity.namesOf',
  `
  select a.id, coalesce(nullif(a.name, ''), s.login, '') as name
    from identity.account a left join identity.sign_up s on s.account_id = a.id
   where a.id = any ($1)
`,
)

export const searchAccounts = statement<FoundAccount>(
  'identity.searchAccounts',
  `
  select ${FOUND}
   where $1 = '' or strpos(lower(a.name), lower($1)) > 0 or strpos(s.login, lower($1)) > 0 or a.group_name = $1
   order by a.id desc
   limit $2
`,
)

/** The e-mail address an account signed up with; nothing for one that signs in by wallet. */
export const findEmail = statement<{ email: string }>(
  'identity.findEmail',
  `
  select login as email from identity.sign_up
   where account_id = $1 and login like '%@%' and login not like '%' || $2
`,
)
