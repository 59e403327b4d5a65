import { statement } from '../db/index.ts'

/** Null as second: all of them. */
export const removePasskeysOfOperator = statement<{ name: string }>(
  'identity.removePasskeysOfOperator',
  `
  delete from identity.passkey where user_id = $1 and (id = $2 or $2::uuid is null) returning name
`,
)
