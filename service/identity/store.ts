import { statement } from '../db/index.ts'

/** Whoever signs up first with a login owns it; the others find the account that is there. */
export const findSignUp = statement<{ account: string }>(
  'identity.findSignUp',
  `
  select account_id as account from identity.sign_up where login = $1
`,
)
