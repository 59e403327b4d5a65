import { statement } from '../db/index.ts'

export const pruneSessions = statement<{ rows: bigint }>(
  'identity.pruneSessions',
  `
  with gone as (
    delete from better_auth."session"
     where "id" = any (array(
             select s."id" from better_auth."session" s where s."expiresAt" < $1 order by s."expiresAt" limit $2))
    returning "id"
  )
  select count(*) as rows from gone
`,
)

export const pruneVerifications = statement<{ rows: bigint }>(
  'identity.pruneVerifications',
  `
  with gone as (
    delete from better_auth."verification"
     where "id" = any (array(
             select v."id" from better_auth."verification" v where v."expiresAt" < $1 order by v."expiresAt" limit $2))
    returning "id"
  )
  select count(*) as rows from gone
`,
)

export const pruneChallenges = statement<{ rows: bigint }>(
  'identity.pruneChallenges',
  `
  with gone as (
    delete from identity.wallet_challenge
     where nonce = any (array(
             select c.nonce from identity.wallet_challenge c where c.expires_at < $1 order by c.expires_at limit $2))
    returning nonce
  )
  select count(*) as rows from gone
`,
)

export const prunePasskeyChallenges = statement<{ rows: bigint }>(
  'identity.prunePasskeyChallenges',
  `
  with gone as (
    delete from identity.passkey_challenge
     where challenge = any (array(
             select c.challenge from identity.passkey_challenge c
              where c.expires_at < $1 order by c.expires_at limit $2))
    returning challenge
  )
  select count(*) as rows from gone
`,
)
