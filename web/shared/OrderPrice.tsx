import { isRefunded, type Order } from './Timeline.tsx'
import { Trx } from './Trx.tsx'

/** In a list: of a failed order it came back, which the list must tell. */
export function OrderPrice({ order }: { order: Order }) {
  if (!isRefunded(order)) return <Trx value={order.total_price_trx} />
  return (
    <>
      <Trx value={order.total_price_trx} className="refunded" />
      <div className="soft">refunded</div>
    </>
  )
}
