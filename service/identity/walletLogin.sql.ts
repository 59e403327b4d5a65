import { statement } from '../db/index.ts'

export const findByWallet = statement<{ account: string }>(
  'identity.findByWallet',
  `
  select id as account from identity.account where wallet_address = $1
`,
)

export const insertChallenge = statement(
  'identity.insertChallenge',
  `
  insert into identity.wallet_challenge (nonce, address, account_id, message, expires_at)
  values ($1, $2, $3, $4, $5)
`,
)

export type ChallengeRow = {
  address: string
  account: string | null
  message: string
  expiresAt: Date
}

/** Deletes the challenge, so that it is answered once. */
export const takeChallenge = statement<ChallengeRow>(
  'identity.takeChallenge',
  `
  delete from identity.wallet_challenge where nonce = $1
  returning address, account_id as account, message, expires_at as "expiresAt"
`,
)
