import { statement } from '../db/index.ts'

export const readReceived = statement<{ below: string | null }>(
  'chat.readReceived',
  `
  select received_below as below from chat.lease where app = $1
`,
)

/** Returns no row when another process holds the lease by now; it will handle the update. */
export const setReceived = statement<{ app: string }>(
  'chat.setReceived',
  `
  update chat.lease set received_below = $3 where app = $1 and owner = $2 returning app
`,
)
