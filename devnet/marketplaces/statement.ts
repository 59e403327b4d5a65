import type { Order } from './order.ts'
import type { StatementFault } from './statementFault.ts'

/** What `another_amount` charges more: a TRX. */
export const moreCharged = 1_000_000n
const secondMs = 1_000

/** The orders as the statement has them, oldest first. */
export function statedOrders(
  orders: readonly Order[],
  fault: StatementFault,
  newId: (count: number, wallMs: number) => string,
): Order[] {
  const newest = orders.at(-1)
  if (!newest) return [...orders]
  const before = orders.slice(0, -1)
  const another = (change: Partial<Order>): Order => {
    const acceptedAt = newest.acceptedAt + secondMs
    return { ...newest, id: newId(orders.length + 1_000_000, acceptedAt), acceptedAt, ...change }
  }
  switch (fault) {
    case 'charged_twice':
      return [...orders, another({})]
    case 'another_amount':
      return [...before, { ...newest, cost: newest.cost + moreCharged }]
    case 'unknown_order':
      return [...orders, another({ energy: newest.energy + 1_000n, reference: undefined })]
    case 'missing':
      return before
    case 'refunded':
      return [...before, { ...newest, state: 'ended', refund: newest.cost }]
    default:
      return [...orders]
  }
}

/** The balance that goes with those orders. */
export function statedBalance(
  balance: bigint,
  orders: readonly Order[],
  stated: readonly Order[],
): bigint {
  const charged = (of: readonly Order[]) =>
    of.reduce((sum, one) => sum + one.cost - (one.state === 'ended' ? one.refund : 0n), 0n)
  return balance - (charged(stated) - charged(orders))
}
