import { statement } from '../db/index.ts'

/** Nothing when a code of this step or of a later one was taken: of two that show one code, one gets in. */
export const claimStep = statement<{ id: string }>(
  'identity.claimStep',
  `
  update better_auth."twoFactor" set "lastStep" = case when "lastStep" is not null then $2::int end
   where "userId" = $1 and ("lastStep" < $2 or "lastStep" is null)
  returning id
`,
)

/** For the sandbox, whose secrets are published: scripts may use a code twice. */
export const takeCodesAgain = statement(
  'identity.takeCodesAgain',
  `
  update better_auth."twoFactor" set "lastStep" = null where "userId" = $1
`,
)

export const readSecret = statement<{ secret: string }>(
  'identity.readSecret',
  `
  select secret from identity.session_secret
`,
)

export const insertSecret = statement(
  'identity.insertSecret',
  `
  insert into identity.session_secret (secret) values ($1) on conflict do nothing
`,
)
