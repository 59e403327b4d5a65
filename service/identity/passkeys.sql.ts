import { statement } from '../db/index.ts'

export type Purpose = 'sign_in' | 'second_step' | 'step_up' | 'add'

export type PasskeyRow = {
  id: string
  userId: string
  name: string
  credentialId: string
  publicKey: Buffer
  counter: bigint
  transports: string
  synced: boolean
  createdAt: Date
  lastUsedAt: Date | null
}

export type PasskeyChallengeRow = {
  entrance: string
  purpose: Purpose
  userId: string | null
  sessionId: string | null
  expiresAt: Date
}

const COLUMNS = `k.id, k.user_id as "userId", k.name, k.credential_id as "credentialId", k.public_key as "publicKey",
  k.counter, k.transports, k.synced, k.created_at as "createdAt", k.last_used_at as "lastUsedAt"`

export const insertPasskeyChallenge = statement(
  'identity.insertPasskeyChallenge',
  `
  insert into identity.passkey_challenge (challenge, entrance, purpose, user_id, session_id, expires_at)
  values ($1, $2, $3, $4, $5, $6)
`,
)

/** Deletes the challenge, so that it is answered once. */
export const takePasskeyChallenge = statement<PasskeyChallengeRow>(
  'identity.takePasskeyChallenge',
  `
  delete from identity.passkey_challenge where challenge = $1
  returning entrance, purpose, user_id as "userId", session_id as "sessionId", expires_at as "expiresAt"
`,
)

/** Oldest first. */
export const listPasskeys = statement<PasskeyRow>(
  'identity.listPasskeys',
  `
  select ${COLUMNS} from identity.passkey k where k.user_id = $1 order by k.id
`,
)

export const countPasskeys = statement<{ passkeys: bigint }>(
  'identity.countPasskeys',
  `
  select count(*) as passkeys from identity.passkey where user_id = $1
`,
)

/** Of everybody of a role. */
export const countPasskeysByUser = statement<{ userId: string; passkeys: bigint }>(
  'identity.countPasskeysByUser',
  `
  select k.user_id as "userId", count(*) as passkeys
    from identity.passkey k join better_auth."user" u on u.id = k.user_id
   where u."role" = $1
   group by k.user_id
`,
)

/** Of a user of this role; of nobody else, whatever is shown. */
export const findPasskey = statement<PasskeyRow>(
  'identity.findPasskey',
  `
  select ${COLUMNS} from identity.passkey k join better_auth."user" u on u.id = k.user_id
   where k.credential_id = $1 and u."role" = $2
`,
)

/** Whoever adds a passkey waits here, so that the most per account is not passed. */
export const lockUser = statement<{ id: string }>(
  'identity.lockUser',
  `
  select id from better_auth."user" where id = $1 for update
`,
)

/** Nothing when the credential is known already. */
export const insertPasskey = statement<{ id: string }>(
  'identity.insertPasskey',
  `
  insert into identity.passkey (id, user_id, name, credential_id, public_key, counter, transports, synced, created_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
  on conflict (credential_id) do nothing
  returning id
`,
)

/** Nothing when the counter did not go up: the passkey was copied, or this is an old answer. */
export const notePasskeyUse = statement<{ id: string }>(
  'identity.notePasskeyUse',
  `
  update identity.passkey set counter = $2, synced = $3, last_used_at = $4
   where id = $1 and (counter < $2 or (counter = 0 and $2 = 0))
  returning id
`,
)

export const renamePasskey = statement<PasskeyRow>(
  'identity.renamePasskey',
  `
  update identity.passkey k set name = $3 where k.id = $1 and k.user_id = $2 returning ${COLUMNS}
`,
)

export const deletePasskey = statement<{ name: string }>(
  'identity.deletePasskey',
  `
  delete from identity.passkey where id = $1 and user_id = $2 returning name
`,
)

/** What was asked of a passkey that has gone is asked no longer. */
export const dropPasskeyChallenges = statement(
  'identity.dropPasskeyChallenges',
  `
  delete from identity.passkey_challenge where user_id = $1
`,
)
