import { Link } from '@tanstack/react-router'
import { shortened } from '../shared/Address.tsx'

/** The id of an order; it opens the order. */
export function OrderLink({ id }: { id: string }) {
  return (
    <Link to="/orders" search={{ id }} title={`Order ${id}`} className="order-link">
      <span className="hidden">Order </span>
      {shortened(id)}
    </Link>
  )
}
