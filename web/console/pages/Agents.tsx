import { useQuery } from '@tanstack/react-query'
import { Address } from '../../shared/Address.tsx'
import { trxOf } from '../../shared/money.ts'
import { EmptyState, Page, Panel } from '../../shared/Page.tsx'
import { StatusChip } from '../../shared/StatusChip.tsx'
import { Trx } from '../../shared/Trx.tsx'
import { agentsQuery } from '../calls.ts'
import { Deed } from '../Deed.tsx'
import { Rows, Shown } from '../Shown.tsx'

export function Agents() {
  const agents = useQuery(agentsQuery)
  return (
    <Page title="Agents">
      <Shown query={agents}>
        {({ configs }) =>
          configs.length === 0 ? (
            <EmptyState title="No agents yet">
              Pay pages of clients are listed here, and can be paused by support.
            </EmptyState>
          ) : (
            <Panel>
              <Rows
                label="Agents"
                head={['Agent', 'State', 'Price', 'Address', 'Account', 'Support']}
                right={['Price']}
              >
                {configs.map((config) => (
                  <tr key={config.id}>
                    <td>{config.title || 'untitled'}</td>
                    <td>
                      <StatusChip status={config.status} />
                      {config.pause_reason && <div className="soft">{config.pause_reason}</div>}
                    </td>
                    <td className="right" data-label="Price">
                      <Trx value={trxOf(config.base_payment_sun)} unit />
                    </td>
                    <td>
                      <Address value={config.address} />
                    </td>
                    <td data-label="Account">
                      <Address value={config.account_id} />
                    </td>
                    <td>
                      {config.pause_reason === 'admin' ? (
                        <Deed
                          name="Release"
                          of={config.title}
                          path={`/agent/configs/${config.id}/release`}
                        >
                          It stays paused until its owner resumes it.
                        </Deed>
                      ) : (
                        <Deed
                          name="Pause"
                          of={config.title}
                          danger
                          path={`/agent/configs/${config.id}/pause`}
                        >
                          It sells nothing, and its owner cannot resume it.
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
