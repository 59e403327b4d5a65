import { Button } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Address } from '../../shared/Address.tsx'
import { post } from '../../shared/api.ts'
import { grouped, trxOf } from '../../shared/money.ts'
import { EmptyState, Panel, RowsSkeleton, Trouble } from '../../shared/Page.tsx'
import { StatusChip } from '../../shared/StatusChip.tsx'
import { Trx } from '../../shared/Trx.tsx'
import { When } from '../../shared/When.tsx'
import { againAgent, agentPaymentsQuery } from '../queries.ts'
import { canBeDelivered, skipWords } from '../skipReasons.ts'

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
                        <div className="soft">{skipWords(payment.skip_reason)}</div>
                      )}
                      {canBeDelivered(payment) && <Deliver id={payment.id} />}
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

/** Sells the payment after all, at the cost of now. */
function Deliver({ id }: { id: string }) {
  const deliver = useMutation({
    mutationFn: () => post(`/agent/payments/${id}/deliver`),
    onSuccess: againAgent,
  })
  return (
    <>
      <Button
        size="compact-xs"
        variant="default"
        loading={deliver.isPending}
        onClick={() => deliver.mutate()}
      >
        Deliver now
      </Button>
      <div className="soft">You pay what it costs now.</div>
      <Trouble error={deliver.error} />
    </>
  )
}
