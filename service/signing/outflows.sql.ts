import { statement } from '../db/index.ts'

/** Records outflows; returns the new ones. */
export const findOutflows = statement<{ txid: string }>(
  'signing.findOutflows',
  `
  select * from signing.find_outflows($1, $2, $3, $4, $5, $6, $7, $8, $9) as f(txid)
`,
)

export const orphanOutflows = statement(
  'signing.orphanOutflows',
  `select signing.orphan_outflows($1)`,
)

export const countOutflows = statement<{ count: bigint; oldest: Date | null }>(
  'signing.countOutflows',
  `
  select count(*) as count, min(found_at) as oldest from signing.outflow where looked_at is null
`,
)

/** Those of the transactions that the signer signed; only its role can write answers. */
export const findSigned = statement<{ txid: string; purpose: string }>(
  'signing.findSigned',
  `
  select r.txid, r.purpose from signing.request r join signing.answer a on a.request_id = r.id
   where r.txid = any ($1) and a.state = 'signed'
`,
)

/** Those of the transactions whose signature was requested. */
export const findAsked = statement<{ txid: string }>(
  'signing.findAsked',
  `
  select txid from signing.request where txid = any ($1)
`,
)
