import {
  getOperatorInvoice,
  getOperatorInvoiceFile,
  getOperatorInvoicePage,
  getOperatorInvoices,
  type HandledRoute,
  handle,
  isRefusal,
  postOperatorInvoices,
} from '@ergon/contract'
import { invoiceForms, listView } from '../../account/index.ts'
import { isUuid } from '../../kernel/index.ts'
import { type ConsoleDeps, missing } from './deps.ts'

/** A client's invoices. Reading issues none: a viewer gives no numbers. */
export function invoiceRoutes({
  rooms,
  operator,
  clock,
  invoicePage,
}: ConsoleDeps): HandledRoute[] {
  const { accounts, invoices } = rooms
  const forms = invoiceForms({ invoices, clock, invoicePage })
  const isThere = async (id: string) => isUuid(id) && (await accounts.profileOf(id)) !== undefined
  return [
    handle(getOperatorInvoices, async (_caller, { params: { id } }) =>
      (await isThere(id)) ? listView(invoices, id) : missing('account'),
    ),
    handle(getOperatorInvoice, async (_caller, { params: { id, month } }) =>
      (await isThere(id)) ? ((await forms.view(id, month)) ?? NONE) : missing('account'),
    ),
    handle(getOperatorInvoicePage, async (_caller, { params: { id, month } }) =>
      (await isThere(id)) ? ((await forms.page(id, month)) ?? NONE) : missing('account'),
    ),
    handle(getOperatorInvoiceFile, async (_caller, { params: { id, month } }) =>
      (await isThere(id)) ? ((await forms.csv(id, month)) ?? NONE) : missing('account'),
    ),
    handle(postOperatorInvoices, async ({ account: who }, { params: { id }, body: { why } }) => {
      if (!isUuid(id)) return missing('account')
      const issued = await operator.issuing.of(id, { who, why })
      return isRefusal(issued) ? issued : listView(invoices, id)
    }),
  ]
}

const NONE = missing('invoice of this account')
