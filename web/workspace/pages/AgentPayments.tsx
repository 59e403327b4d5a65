import { useQuery } from '@tanstack/react-query'
import { Address } from '../../shared/Address.tsx'
import { grouped, trxOf } from '../../shared/money.ts'
import { EmptyState, Panel, RowsSkeleton, Trouble } from '../../shared/Page.tsx'
import { StatusChip } from '../../shared/StatusChip.tsx'
import { Trx } from '../../shared/Trx.tsx'
import { When } from '../../shared/When.tsx'
import { agentPaymentsQuery } from '../queries.ts'

/** Why a payment was not sold, and what would have helped. */
const SKIPPED: Record<string, string> = {
  below_base: 'less than one unit was paid',
  insufficient_balance: 'your balance was too low; top up and resume',
  paused: 'the page was paused',
  price_above_base: 'the price was above your payment; raise it',
  payer_is_own_address: 'it came from an address of the service',
  payer_is_contract: 'it came from a contract',
  address_is_contract: 'the address that was paid is a contract; make a page with a wallet',
  service_unavailable: 'Energy could not be sold for ten minutes',
}

export function AgentPayments() {
  const { data, error, refetch } = useQuery(agentPaymentsQuery)
  if (error) return <Trouble error={error} retry={refetch} />
  return (
    <Panel title="Payments">
      <div aria-live="polite">
        {!data ? (
          <RowsSkeleton />
        ) : data.items.length === 0 ? (
          <EmptyState title="No payment yet">
            Share your pay page. Each payment shows up here as it arrives.
          </EmptyState>
        ) : (
          <div className="scroll">
            <table className="rows stack">
              <thead>
                <tr>
                  <th>Status</th>
                  <th>Customer</th>
                  <th className="right">Paid, TRX</th>
                  <th className="right">Cost, TRX</th>
                  <th className="right">Energy</th>
                  <th>When</th>
                </tr>
              </thead>
              <tbody>
                {data.items.map((payment) => (
                  <tr key={payment.id}>
                    <td>
                      <StatusChip status={payment.status} />
                      {payment.skip_reason && (
                        <div className="soft">
                          {SKIPPED[payment.skip_reason] ?? payment.skip_reason}
                        </div>
                      )}
                    </td>
                    <td>
                      <Address value={payment.payer} />
                    </td>
                    <td className="right" data-label="Paid">
                      <Trx value={trxOf(payment.amount_sun)} />
                    </td>
                    <td className="right" data-label="Cost">
                      {payment.cost_sun === null ? (
                        <span className="soft">–</span>
                      ) : (
                        <Trx value={trxOf(payment.cost_sun)} />
                      )}
                    </td>
                    <td className="right" data-label="Energy">
                      {grouped(payment.energy)}
                    </td>
                    <td>
                      <When at={payment.created_at} />
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      </div>
    </Panel>
  )
}
