import { statement } from '../db/index.ts'

export type SealedRow = { id: string; secret: Buffer; previousSecret: Buffer | null }

/** Webhooks with a secret that another key than $1 has sealed. */
export const sealedByOthers = statement<SealedRow>(
  'webhooks.sealedByOthers',
  `
  select id, secret, previous_secret as "previousSecret"
    from webhooks.endpoint
   where removed_at is null
     and (substring(secret for 4) <> $1 or substring(previous_secret for 4) <> $1)
   order by id
   limit $2
`,
)

/** Only what was read: a client may rotate the secret at the same time. */
export const sealAgain = statement<{ id: string }>(
  'webhooks.sealAgain',
  `
  update webhooks.endpoint set secret = $3, previous_secret = $5
   where id = $1 and secret = $2 and previous_secret is not distinct from $4
  returning id
`,
)
