export { createDailySummary } from './dailySummary.ts'
export { createInvoices, type Invoices } from './invoices/invoices.ts'
export { type Issuer, NO_ISSUER } from './invoices/issuer.ts'
export { createParticulars } from './invoices/particulars.ts'
export {
  type InvoiceForms,
  invoiceForms,
  invoiceRoutes,
  type RenderInvoice,
} from './invoices/routes.ts'
export { type InvoiceView, listView } from './invoices/view.ts'
export { type Change, createLive, type Live } from './live.ts'
export { accountRoutes, limitsReply } from './routes.ts'
export { csvLine } from './statement.ts'
export { workspaceRoutes } from './workspaceRoutes.ts'
