import { Address } from '../../shared/Address.tsx'
import { StatusChip } from '../../shared/StatusChip.tsx'
import type { Order } from '../../shared/Timeline.tsx'
import { Energy, Trx } from '../../shared/Trx.tsx'
import { When } from '../../shared/When.tsx'

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
            <th>When</th>
            <th>
              <span className="hidden">Details</span>
            </th>
          </tr>
        </thead>
        <tbody>
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
                <Trx value={order.total_price_trx} />
              </td>
              <td>
                <When at={order.created_at} />
              </td>
              <td className="right">
                <button type="button" className="plain" onClick={() => open(order.id)}>
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
