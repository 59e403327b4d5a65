import { Type } from 'typebox'
import { TextInput } from './fields.ts'
import { Invoice, InvoiceList, Particulars } from './invoice.ts'
import { defineRoute } from './route.ts'

const group = 'Workspace'
const month = Type.Object({ month: Type.String({ description: 'Such as 2026-11, UTC.' }) })

export const getInvoices = defineRoute({
  name: 'getInvoices',
  method: 'GET',
  path: '/invoices',
  auth: 'session',
  group,
  summary: 'Invoices by month; those of months that are over are issued by this call',
  reply: { status: 200, schema: InvoiceList, description: 'The list.' },
  refusals: [],
})

export const getInvoice = defineRoute({
  name: 'getInvoice',
  method: 'GET',
  path: '/invoices/{month}',
  auth: 'session',
  group,
  summary: 'The invoice of a month, or the preview of the running one',
  params: month,
  reply: { status: 200, schema: Invoice, description: 'The invoice.' },
  refusals: ['invoice_not_found'],
})

export const getInvoicePage = defineRoute({
  name: 'getInvoicePage',
  method: 'GET',
  path: '/invoices/{month}/page',
  auth: 'session',
  group,
  summary: 'The same as a page to print, A4',
  params: month,
  reply: { status: 200, schema: Type.String(), description: 'HTML without scripts.' },
  refusals: ['invoice_not_found'],
})

export const getInvoiceFile = defineRoute({
  name: 'getInvoiceFile',
  method: 'GET',
  path: '/invoices/{month}/csv',
  auth: 'session',
  group,
  summary: 'The same as a table',
  params: month,
  reply: { status: 200, schema: Type.String(), description: 'CSV.' },
  refusals: ['invoice_not_found'],
})

export const getParticulars = defineRoute({
  name: 'getParticulars',
  method: 'GET',
  path: '/particulars',
  auth: 'session',
  group,
  summary: 'What invoices say about you',
  reply: { status: 200, schema: Particulars, description: 'As they are.' },
  refusals: [],
})

export const patchParticulars = defineRoute({
  name: 'patchParticulars',
  method: 'PATCH',
  path: '/particulars',
  auth: 'session',
  group,
  summary: 'Change what invoices say about you; issued ones keep what they say',
  body: Type.Object({
    name: TextInput('Of the person or company; empty: none.', 200),
    address: TextInput('Lines; empty: none.', 600),
    tax_number: TextInput('Empty: none.', 60),
  }),
  reply: { status: 200, schema: Particulars, description: 'As they are now.' },
  refusals: [],
})
