import { statement } from '../db/index.ts'

/** Those that nobody on the signer's machine has looked at yet; returned are those that are news. */
export const findOutflows = statement<{ txid: string }>(
  'signing.findOutflows',
  `
  select * from signing.find_outflows($1, $2, $3, $4, $5, $6, $7, $8) as f(txid)
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

/** Of these transactions, those that the signer signed: nobody else can write its answers. */
export const findSigned = statement<{ txid: string; purpose: string }>(
  'signing.findSigned',
  `
  select r.txid, r.purpose from signing.request r join signing.answer a on a.request_id = r.id
   where r.txid = any ($1) and a.state = 'signed'
`,
)

/** Of these transactions, those whose signature was asked for. */
export const findAsked = statement<{ txid: string }>(
  'signing.findAsked',
  `
  select txid from signing.request where txid = any ($1)
`,
)
