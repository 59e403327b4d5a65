import { statement } from '../db/index.ts'

/** Allowed for the signer's role only, like the next two. */
export const lockSwitch = statement(
  'signing.lockSwitch',
  `
  select enabled from signing.switch for update
`,
)

export const turnOn = statement(
  'signing.turnOn',
  `
  update signing.switch set enabled = true, reason = $1
`,
)

export const lookAtOutflows = statement(
  'signing.lookAtOutflows',
  `
  update signing.outflow set looked_at = $2, looked_by = $3 where looked_at is null and txid = any ($1)
`,
)
