import { Type } from 'typebox'
import { Invoice, InvoiceList } from '../invoice.ts'
import { defineRoute } from '../route.ts'
import { byId, group, why } from './fields.ts'

const one = Type.Object({
  id: Type.String({ description: 'Of the account.' }),
  month: Type.String({ description: 'Such as 2026-11, UTC.' }),
})

export const getOperatorInvoices = defineRoute({
  name: 'getOperatorInvoices',
  method: 'GET',
  path: '/accounts/{id}/invoices',
  auth: 'operator',
  group,
  summary: "A client's invoices by month; it issues none",
  params: byId,
  reply: { status: 200, schema: InvoiceList, description: 'The list.' },
  refusals: ['not_found'],
})

export const getOperatorInvoice = defineRoute({
  name: 'getOperatorInvoice',
  method: 'GET',
  path: '/accounts/{id}/invoices/{month}',
  auth: 'operator',
  group,
  summary: "A client's invoice of a month",
  params: one,
  reply: { status: 200, schema: Invoice, description: 'The invoice.' },
  refusals: ['not_found'],
})

export const getOperatorInvoicePage = defineRoute({
  name: 'getOperatorInvoicePage',
  method: 'GET',
  path: '/accounts/{id}/invoices/{month}/page',
  auth: 'operator',
  group,
  summary: 'The same as a page to print, A4',
  params: one,
  reply: { status: 200, schema: Type.String(), description: 'HTML without scripts.' },
  refusals: ['not_found'],
})

export const getOperatorInvoiceFile = defineRoute({
  name: 'getOperatorInvoiceFile',
  method: 'GET',
  path: '/accounts/{id}/invoices/{month}/csv',
  auth: 'operator',
  group,
  summary: 'The same as a table',
  params: one,
  reply: { status: 200, schema: Type.String(), description: 'CSV.' },
  refusals: ['not_found'],
})

export const postOperatorInvoices = defineRoute({
  name: 'postOperatorInvoices',
  method: 'POST',
  path: '/accounts/{id}/invoices',
  auth: 'operator',
  secondFactor: 'needed',
  group,
  summary: "Issue a client's invoices of the months that are over",
  params: byId,
  body: Type.Object({ why }),
  reply: { status: 200, schema: InvoiceList, description: 'The list.' },
  refusals: ['not_found'],
})
