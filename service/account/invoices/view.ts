import type { getInvoice, getInvoices, Reply } from '@ergon/contract'
import { formatTrx, sun } from '../../kernel/index.ts'
import { csvLine } from '../statement.ts'
import { type Invoice, type Invoices, type Item, numberWords } from './invoices.ts'
import { isCharge, LINES, type Line, totalOf } from './lines.ts'
import { nextMonth, startOf } from './months.ts'

export type InvoiceView = Reply<typeof getInvoice>

const trx = (amount: bigint) => formatTrx(sun(amount))

const itemView = ({ month, state, number, issuedAt, total }: Item) => ({
  month,
  state,
  number: number === undefined ? null : numberWords(number),
  issued_at: issuedAt?.toISOString() ?? null,
  total_trx: trx(total),
})

export async function listView(
  invoices: Invoices,
  account: string,
): Promise<Reply<typeof getInvoices>> {
  const items = await invoices.list(account)
  return { invoices: items.map(itemView), has_issuer: invoices.hasIssuer }
}

/** A charge is positive where it is charged, and negative where it leaves the balance. */
const lineView = ({ name, ofMonth, count, amount }: Line) => ({
  line: name,
  words: LINES[name].words,
  of_month: ofMonth,
  count: Number(count),
  amount_trx: trx(isCharge(name) ? -amount : amount),
})

export function invoiceView(invoice: Invoice): InvoiceView {
  const { lines, month } = invoice
  const charges = lines.filter(({ name }) => isCharge(name))
  const byProduct = Map.groupBy(charges, ({ name }) => String(LINES[name].product))
  const { taxNumber, ...issuer } = invoice.issuer
  const { taxNumber: clientTaxNumber, ...client } = invoice.client
  return {
    ...itemView(invoice),
    account_id: invoice.account,
    from: `${month}-01`,
    to: new Date(startOf(nextMonth(month)).getTime() - 1).toISOString().slice(0, 10),
    issuer: { ...issuer, tax_number: taxNumber },
    client: { ...client, tax_number: clientTaxNumber },
    products: [...byProduct].map(([product, of]) => ({
      product,
      lines: of.map(lineView),
      total_trx: trx(totalOf(of)),
    })),
    account: {
      opening_trx: trx(invoice.opening),
      lines: lines.filter(({ name }) => !isCharge(name)).map(lineView),
      charged_trx: trx(-invoice.total),
      closing_trx: trx(invoice.closing),
    },
  }
}

const COLUMNS = [
  'invoice',
  'state',
  'issued_at',
  'month',
  'issuer',
  'account_id',
  'client',
  'client_tax_number',
  'section',
  'line',
  'of_month',
  'count',
  'amount_trx',
]

/** One row per line; those of the statement of account are the section `account`. */
export function invoiceCsv(view: InvoiceView): string {
  const { number, state, issued_at, month, issuer, account_id, client, products, account } = view
  const same = [number ?? '', state, issued_at ?? '', month, issuer.name, account_id, client.name]
  const row = (section: string, line: string, ofMonth: string, count: string, amount: string) =>
    csvLine([...same, client.tax_number, section, line, ofMonth, count, amount])
  const rowsOf = (section: string, lines: InvoiceView['account']['lines']) =>
    lines.map((one) => row(section, one.line, one.of_month, String(one.count), one.amount_trx))
  return [
    csvLine(COLUMNS),
    ...products.flatMap(({ product, lines }) => rowsOf(product, lines)),
    row('total', 'total', month, '', view.total_trx),
    row('account', 'opening_balance', month, '', account.opening_trx),
    ...rowsOf('account', account.lines),
    row('account', 'charged', month, '', account.charged_trx),
    row('account', 'closing_balance', month, '', account.closing_trx),
  ].join('')
}
