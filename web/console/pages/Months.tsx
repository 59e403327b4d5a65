import { useQuery } from '@tanstack/react-query'
import { Trx } from '../../shared/Trx.tsx'
import { When } from '../../shared/When.tsx'
import { monthsQuery } from '../calls.ts'
import { Deed } from '../Deed.tsx'
import { Rows, ShownPanel } from '../Shown.tsx'

/** Months of the books. A closed one stays as it was reported. */
export function Months() {
  const months = useQuery(monthsQuery)
  return (
    <ShownPanel title="Months" query={months}>
      {({ months: rows }) =>
        rows.length === 0 ? (
          <p className="soft">No month has been counted yet.</p>
        ) : (
          <Rows label="Months" head={['Month', 'Margin', 'Closed', 'Close']} right={['Margin']}>
            {rows.map(({ month, margin_trx, closed_by, closed_at, why }) => (
              <tr key={month}>
                <td>{month}</td>
                <td className="right" data-label="Margin">
                  {margin_trx === null ? '–' : <Trx value={margin_trx} unit />}
                </td>
                <td data-label="Closed">
                  {closed_at === null ? (
                    <span className="soft">open</span>
                  ) : (
                    <>
                      <When at={closed_at} /> by {closed_by}
                      <div className="soft">{why}</div>
                    </>
                  )}
                </td>
                <td>
                  {closed_at === null && (
                    <Deed name="Close" of={month} danger path={`/books/months/${month}/close`}>
                      The figures of {month} stay as they are, for good. A movement that comes later
                      counts for the month that is open then.
                    </Deed>
                  )}
                </td>
              </tr>
            ))}
          </Rows>
        )
      }
    </ShownPanel>
  )
}
