import type { getInvoice, Reply } from '@ergon/contract'
import { escaped } from '../shared/html.ts'
import { monthWords } from '../shared/times.ts'

type Invoice = Reply<typeof getInvoice>
type Line = Invoice['account']['lines'][number]

/** For paper: A4, black on white, no scripts and no files. The service sends its hash with the page. */
export const INVOICE_STYLE = `
@page { size: A4; margin: 18mm 16mm }
* { box-sizing: border-box }
html { background: #fff; color: #000; font: 10.5pt/1.45 system-ui, sans-serif }
body { max-width: 178mm; margin: 0 auto; padding: 24px 16px }
h1 { font-size: 19pt; margin: 0 0 4px }
h2 { font-size: 12pt; margin: 28px 0 6px }
p { margin: 0 0 6px }
header, .sides { display: flex; flex-wrap: wrap; gap: 16px 32px; justify-content: space-between }
.sides { margin: 24px 0 8px }
.sides > div { flex: 1 1 200px; min-width: 0; overflow-wrap: anywhere }
.sides h2 { margin-top: 0; font-size: 9pt; font-weight: 400; color: #444 }
dl { display: grid; grid-template-columns: auto auto; gap: 2px 16px; margin: 0 }
dt { color: #444 }
dd { margin: 0; text-align: right }
.lines { white-space: pre-line }
.note { border: 1px solid #000; padding: 8px 10px; margin: 0 0 20px }
table { width: 100%; border-collapse: collapse }
th, td { text-align: left; vertical-align: top; padding: 5px 8px 5px 0; border-bottom: 1px solid #bbb }
th { font-size: 9pt; font-weight: 400; color: #444 }
.right { text-align: right; padding-right: 0; white-space: nowrap; font-variant-numeric: tabular-nums }
.product td { font-weight: 600; padding-top: 12px }
.total td { font-weight: 700; border-top: 2px solid #000; border-bottom: 0 }
tr { break-inside: avoid }
footer { margin-top: 28px; color: #444; font-size: 9pt; overflow-wrap: anywhere }
@media print { body { padding: 0; max-width: none } }
`

/** One invoice. All that somebody typed is escaped. */
export function invoicePage(invoice: Invoice): string {
  const title = invoice.number === null ? NAMES[invoice.state] : `Invoice ${invoice.number}`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light">
<meta name="robots" content="noindex">
<title>${title} · ${monthWords(invoice.month)}</title>
<style>${INVOICE_STYLE}</style>
</head>
<body>
${notesOf(invoice)}<header>
<div><h1>${title}</h1><p>${monthWords(invoice.month)}</p></div>
<dl>
${fact('Number', invoice.number ?? 'none yet')}${fact('Date of issue', invoice.issued_at?.slice(0, 10) ?? 'not issued')}${fact('Period, UTC', `${invoice.from} to ${invoice.to}`)}</dl>
</header>
<div class="sides">
<div><h2>From</h2>${issuerOf(invoice)}</div>
<div><h2>To</h2>${clientOf(invoice)}</div>
</div>
<h2>What was charged</h2>
${charges(invoice)}
<h2>Statement of account</h2>
<p>Deposits are prepayments: they are yours until something is bought, and no part of what was charged.</p>
${statement(invoice)}
<footer>${invoice.issuer.note ? `<p class="lines">${escaped(invoice.issuer.note)}</p>` : ''}<p>Amounts are in TRX, to the SUN (0.000001 TRX). Days and months are in UTC.</p></footer>
</body>
</html>
`
}

const NAMES = { issued: 'Invoice', due: 'Not issued yet', preview: 'Preview' } as const

function notesOf({ state, issuer }: Invoice): string {
  const hasIssuer = Object.values(issuer).some((text) => text !== '')
  const notes = [
    state === 'preview'
      ? 'This is a preview: the month goes on. It is no invoice and has no number.'
      : '',
    state === 'due' ? 'This month is over, and its invoice is not issued yet.' : '',
    hasIssuer ? '' : 'The operator of this service has set no particulars of its own.',
  ]
  return notes.flatMap((text) => (text ? `<p class="note">${text}</p>\n` : [])).join('')
}

const fact = (name: string, value: string) => `<dt>${name}</dt><dd>${value}</dd>\n`

const line = (text: string) => (text ? `<p class="lines">${escaped(text)}</p>` : '')
const named = (name: string, text: string) => (text ? line(`${name}: ${text}`) : '')

function issuerOf({ issuer }: Invoice): string {
  const { name, address, registration, tax_number, email } = issuer
  const lines = [
    name && `<p><strong>${escaped(name)}</strong></p>`,
    line(address),
    named('Registration', registration),
    named('Tax number', tax_number),
    line(email),
  ]
  return lines.join('') || '<p>Not set.</p>'
}

function clientOf({ client, account_id }: Invoice): string {
  const { name, address, tax_number } = client
  const lines = [
    name && `<p><strong>${escaped(name)}</strong></p>`,
    line(address),
    named('Tax number', tax_number),
    `<p>Account ${escaped(account_id)}</p>`,
  ]
  return lines.join('')
}

const cells = (words: string, count: string, amount: string, kind = '') =>
  `<tr${kind && ` class="${kind}"`}><td>${words}</td><td class="right">${count}</td><td class="right">${amount}</td></tr>`

const table = (rows: string[]) =>
  `<table><thead><tr><th scope="col">Item</th><th scope="col" class="right">Number</th><th scope="col" class="right">TRX</th></tr></thead><tbody>
${rows.join('\n')}
</tbody></table>`

const itemOf = (month: string) => (one: Line) => {
  const late = one.of_month === month ? '' : `, correction of ${monthWords(one.of_month)}`
  return cells(escaped(one.words) + late, String(one.count), one.amount_trx)
}

function charges({ products, month, total_trx }: Invoice): string {
  const rows = products.flatMap(({ product, lines, total_trx: sum }) => [
    cells(escaped(product), '', sum, 'product'),
    ...lines.map(itemOf(month)),
  ])
  const none = products.length === 0 ? [cells('Nothing was charged.', '', '')] : []
  return table([...rows, ...none, cells('Total', '', total_trx, 'total')])
}

function statement({ account, month }: Invoice): string {
  return table([
    cells('Opening balance', '', account.opening_trx),
    ...account.lines.map(itemOf(month)),
    cells('Charged, as above', '', account.charged_trx),
    cells('Closing balance', '', account.closing_trx, 'total'),
  ])
}
