import { useQuery } from '@tanstack/react-query'
import { Address } from '../../shared/Address.tsx'
import { EmptyState, Page, Panel } from '../../shared/Page.tsx'
import { Energy } from '../../shared/Trx.tsx'
import { When } from '../../shared/When.tsx'
import { barsQuery } from '../calls.ts'
import { Deed } from '../Deed.tsx'
import { Rows, Shown } from '../Shown.tsx'

export function Bars() {
  const bars = useQuery(barsQuery)
  return (
    <Page title="AutoEnergy bars">
      <Shown query={bars}>
        {({ bars: rows }) =>
          rows.length === 0 ? (
            <EmptyState title="No address is barred">
              An address is barred for 30 days when others use the Energy that stands on it.
            </EmptyState>
          ) : (
            <Panel>
              <Rows
                label="Bars"
                head={['Address', 'Account', 'Energy taken', 'Since', 'Until', 'Support']}
                right={['Energy taken']}
              >
                {rows.map((bar) => (
                  <tr key={bar.id}>
                    <td>
                      <Address value={bar.address} />
                    </td>
                    <td data-label="Account">
                      <Address value={bar.account_id} />
                    </td>
                    <td className="right" data-label="Energy taken">
                      <Energy value={bar.energy} />
                    </td>
                    <td data-label="Since">
                      <When at={bar.began_at} />
                    </td>
                    <td data-label="Until">
                      <When at={bar.lifted_at ?? bar.until} />
                      {bar.lifted_at && <div className="soft">lifted</div>}
                    </td>
                    <td>
                      {bar.lifted_at === null && (
                        <Deed
                          name="Lift"
                          of={bar.address}
                          danger
                          path={`/autoenergy/bars/${bar.id}/lift`}
                        >
                          The account can cover the address again, and what others took does not
                          count any more.
                        </Deed>
                      )}
                    </td>
                  </tr>
                ))}
              </Rows>
            </Panel>
          )
        }
      </Shown>
    </Page>
  )
}
