import { createHash } from 'node:crypto'
import { INVOICE_STYLE, invoicePage } from '../../web/index.ts'
import type { RenderInvoice } from '../account/index.ts'
import { pageHeaders } from '../pages/index.ts'

const STYLE = createHash('sha256').update(INVOICE_STYLE).digest('base64')
const HEADERS = pageHeaders(`'sha256-${STYLE}'`, 'same-origin')

/** An invoice to print: one file with its style in it, and a policy that lets nothing else in. */
export const renderInvoice: RenderInvoice = (view) => ({
  html: invoicePage(view),
  headers: HEADERS,
})
