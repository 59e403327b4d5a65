import { statement } from '../db/index.ts'

/** The account of a login; a repeated sign-up finds the existing one. */
export const findSignUp = statement<{ account: string }>(
  'identity.findSignUp',
  `
  select account_id as account from identity.sign_up where login = $1
`,
)
