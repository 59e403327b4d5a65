import {
  getInvoice,
  getInvoiceFile,
  getInvoicePage,
  getInvoices,
  getParticulars,
  type HandledRoute,
  handle,
  patchParticulars,
  refuse,
  Verbatim,
} from '@ergon/contract'
import type { Clock } from '../../kernel/index.ts'
import { monthOf } from '../statement.ts'
import type { Invoices } from './invoices.ts'
import type { Client } from './particulars.sql.ts'
import { type InvoiceView, invoiceCsv, invoiceView, listView } from './view.ts'

/** Renders an invoice as a page, with the headers that it is sent with. */
export type RenderInvoice = (view: InvoiceView) => {
  html: string
  headers: Record<string, string>
}

type Reading = { invoices: Invoices; clock: Clock; invoicePage: RenderInvoice }

export type InvoiceForms = {
  view(account: string, month: string): Promise<InvoiceView | undefined>
  page(account: string, month: string): Promise<Verbatim | undefined>
  csv(account: string, month: string): Promise<Verbatim | undefined>
}

/** An invoice in each of its forms, for the client and for operators; undefined: there is none. */
export function invoiceForms({ invoices, clock, invoicePage }: Reading): InvoiceForms {
  async function view(account: string, month: string) {
    if (!monthOf(month, clock.now())) return undefined
    const found = await invoices.read(account, month)
    return found && invoiceView(found)
  }
  return {
    view,
    async page(account, month) {
      const found = await view(account, month)
      if (!found) return undefined
      const { html, headers } = invoicePage(found)
      return new Verbatim(html, { 'content-type': 'text/html; charset=utf-8', ...headers })
    },
    async csv(account, month) {
      const found = await view(account, month)
      if (!found) return undefined
      const name = found.number ?? `${found.state}-${month}`
      return new Verbatim(invoiceCsv(found), {
        'content-type': 'text/csv; charset=utf-8',
        'content-disposition': `attachment; filename="ergon-${name}.csv"`,
      })
    },
  }
}

const particularsReply = ({ taxNumber, ...client }: Client) => ({
  ...client,
  tax_number: taxNumber,
})

export function invoiceRoutes(deps: Reading): HandledRoute[] {
  const { invoices } = deps
  const { particulars } = invoices
  const forms = invoiceForms(deps)
  const missing = refuse('invoice_not_found')
  const read = async (account: string) => particularsReply(await particulars.read(account))
  return [
    handle(getInvoices, async ({ account }) => {
      await invoices.issue(account)
      return listView(invoices, account)
    }),
    handle(getInvoice, async ({ account }, { params: { month } }) => {
      await invoices.issue(account)
      return (await forms.view(account, month)) ?? missing
    }),
    handle(getInvoicePage, async ({ account }, { params: { month } }) => {
      await invoices.issue(account)
      return (await forms.page(account, month)) ?? missing
    }),
    handle(getInvoiceFile, async ({ account }, { params: { month } }) => {
      await invoices.issue(account)
      return (await forms.csv(account, month)) ?? missing
    }),
    handle(getParticulars, ({ account }) => read(account)),
    handle(patchParticulars, async ({ account }, { body }) => {
      await particulars.write(account, {
        name: body.name.trim(),
        address: linesOf(body.address),
        taxNumber: body.tax_number.trim(),
      })
      return read(account)
    }),
  ]
}

/** Without empty lines and line breaks of other systems. */
function linesOf(text: string): string {
  const lines = text.split(/\r\n|\r|\n/).map((line) => line.trim())
  return lines.filter((line) => line !== '').join('\n')
}
