import { statement } from '../../db/index.ts'
import type { Issuer } from './issuer.ts'
import type { LineName } from './lines.ts'
import type { Client } from './particulars.sql.ts'

export type InvoiceRow = {
  month: string
  number: bigint
  issuedAt: Date
  after: bigint
  upto: bigint
  opening: bigint
  closing: bigint
  total: bigint
  issuer: Issuer
  client: Client
}

/** Newest first. */
export const listInvoices = statement<InvoiceRow>(
  'account.listInvoices',
  `
  select to_char(month, 'YYYY-MM') as month, number, issued_at as "issuedAt", after_version as after, upto_version as upto,
         opening_sun as opening, closing_sun as closing, total_sun as total, issuer, client
    from account.invoice where account_id = $1
   order by month desc
`,
)

/** Where the last invoice of the account ended. */
export const lastInvoice = statement<{ month: string; upto: bigint }>(
  'account.lastInvoice',
  `
  select to_char(month, 'YYYY-MM') as month, upto_version as upto
    from account.invoice where account_id = $1
   order by month desc limit 1
`,
)

export type LineRow = { line: LineName; ofMonth: string; count: bigint; amount: bigint }

export const readLines = statement<LineRow>(
  'account.readLines',
  `
  select line, to_char(of_month, 'YYYY-MM') as "ofMonth", count, amount_sun as amount
    from account.invoice_line where account_id = $1 and month = $2
`,
)

/** Locked until the invoice is written: of two processes the second one waits. */
export const holdNumber = statement<{ last: bigint }>(
  'account.holdNumber',
  `
  select last from account.invoice_number for update
`,
)

export const setNumber = statement(
  'account.setNumber',
  `update account.invoice_number set last = $1`,
)

export const insertInvoice = statement(
  'account.insertInvoice',
  `
  insert into account.invoice (account_id, month, number, issued_at, after_version, upto_version, opening_sun, closing_sun,
                               total_sun, issuer, client)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
`,
)

export const insertLines = statement(
  'account.insertLines',
  `
  insert into account.invoice_line (account_id, month, line, is_charge, of_month, count, amount_sun)
  select $1, $2, l.line, l.is_charge, l.of_month, l.count, l.amount
    from unnest($3::text[], $4::boolean[], $5::date[], $6::bigint[], $7::bigint[])
      as l(line, is_charge, of_month, count, amount)
`,
)
