import type { getInvoices, Reply } from '@ergon/contract'
import { Trx } from './Trx.tsx'
import { monthWords } from './times.ts'

type Item = Reply<typeof getInvoices>['invoices'][number]

const STATES = { due: 'Over, not issued yet', preview: 'Preview, the month goes on' } as const

/** A list of invoices, each as a page to read and print, and as a table. */
export function InvoiceRows({ invoices, base }: { invoices: Item[]; base: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
    <section className="scroll" aria-label="Invoices" tabIndex={0}>
      <table className="rows stack">
        <thead>
          <tr>
            <th>Month</th>
            <th className="right">Charged, TRX</th>
            <th>Number</th>
            <th>Issued</th>
            <th>
              <span className="hidden">Open</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {invoices.map(({ month, state, number, issued_at, total_trx }) => (
            <tr key={month}>
              <td>{monthWords(month)}</td>
              <td className="right">
                <Trx value={total_trx} />
              </td>
              <td className="wrap">
                {number ?? <span className="soft">{state === 'issued' ? '' : STATES[state]}</span>}
              </td>
              <td>{issued_at?.slice(0, 10)}</td>
              <td className="whole links">
                <a
                  href={`${base}/${month}/page`}
                  target="_blank"
                  rel="noopener"
                  aria-label={`View or print ${monthWords(month)}`}
                >
                  View or print
                </a>{' '}
                <a href={`${base}/${month}/page`} download={`${number ?? month}.html`}>
                  HTML
                </a>{' '}
                <a href={`${base}/${month}/csv`}>CSV</a>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
