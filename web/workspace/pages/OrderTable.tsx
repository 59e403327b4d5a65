import { useQuery } from '@tanstack/react-query'
import type { KeyboardEvent } from 'react'
import { Address } from '../../shared/Address.tsx'
import { OrderPrice } from '../../shared/OrderPrice.tsx'
import { StatusChip } from '../../shared/StatusChip.tsx'
import type { Order } from '../../shared/Timeline.tsx'
import { Energy, Trx } from '../../shared/Trx.tsx'
import { When } from '../../shared/When.tsx'
import { amountToSendQuery } from '../queries.ts'

/** The arrows go from row to row. */
function moveFocus(event: KeyboardEvent<HTMLTableSectionElement>) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  if (!step) return
  const buttons = [...event.currentTarget.querySelectorAll<HTMLElement>('button.plain')]
  const at = buttons.indexOf(document.activeElement as HTMLElement)
  if (at < 0 || !buttons[at + step]) return
  event.preventDefault()
  buttons[at + step]!.focus()
}

export function OrderTable({ orders, open }: { orders: Order[]; open(id: string): void }) {
  return (
    <div className="scroll">
      <table className="rows stack">
        <thead>
          <tr>
            <th>Status</th>
            <th className="right">Energy</th>
            <th>Receiver</th>
            <th className="right">Price, TRX</th>
            <th>Created</th>
            <th>
              <span className="hidden">Details</span>
            </th>
          </tr>
        </thead>
        <tbody onKeyDown={moveFocus}>
          {orders.map((order) => (
            <tr key={order.id} className="open" onClick={() => open(order.id)}>
              <td>
                <StatusChip status={order.status} />
              </td>
              <td className="right" data-label="Energy">
                <Energy value={order.resource_amount} />
              </td>
              <td>
                <Address value={order.receiver_address} />
              </td>
              <td className="right" data-label="TRX">
                {order.status === 'AWAITING_PAYMENT' ? (
                  <ToSend id={order.id} />
                ) : (
                  <OrderPrice order={order} />
                )}
              </td>
              <td>
                <When at={order.created_at} />
              </td>
              <td className="right">
                <button
                  type="button"
                  className="plain"
                  onClick={(event) => {
                    event.stopPropagation()
                    open(order.id)
                  }}
                >
                  Details
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** The exact amount: unpaid orders differ by its last digits alone. */
function ToSend({ id }: { id: string }) {
  const { data } = useQuery(amountToSendQuery(id))
  if (!data) return <span className="soft">–</span>
  return (
    <>
      <Trx value={data.amount_trx} exact />
      <div className="soft">to send</div>
    </>
  )
}
