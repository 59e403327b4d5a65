import * as checks from './invariants.sql.ts'
import type { Check } from './prove.sql.ts'

export type Invariant = {
  name: string
  promise: string
  checks: readonly Check[]
}

/** What must be true at every commit. M1, M5, M12 and M20 cannot be broken: the database refuses. */
export const invariants: readonly Invariant[] = [
  invariant('M2', 'movements of an account are gapless and lead to its balance', checks.chains),
  invariant('M3', 'balances are the sum of their movements', checks.balances, checks.allBalances),
  invariant('M4', 'a balance is negative only through a kind that may overdraw', checks.signs),
  invariant('M6', 'a final order was delivered or refunded, once', checks.ends),
  invariant('M7', 'escrow is the price of the orders under way', checks.escrow, checks.escrowMoves),
  invariant('M8', 'a refund equals its purchase, to the same account', checks.refunds),
  invariant('M9', 'a deposit is in the ledger exactly while it stands', checks.deposits),
  invariant('M11', "a completed order's delegations cover its amount", checks.claims),
  invariant(
    'M13',
    'one charge per covered call, day and activation, and its counter',
    checks.charges,
    checks.chargesBooked,
    checks.counters,
    checks.allCounters,
  ),
  invariant(
    'M14',
    'a closed subscription was charged for nothing after its close',
    checks.closes,
    checks.allCloses,
  ),
  invariant('M15', 'a payment was charged, refunded or skipped as it says', checks.payments),
  invariant('M16', 'charges for sales are the sum of the payments', checks.sales),
  invariant('M17', 'a key names an order of its account', checks.keys),
  invariant(
    'M19',
    'one event per final order and per movement',
    checks.orderEvents,
    checks.balanceEvents,
  ),
  invariant('M23', 'orders of an account are numbered without a gap', checks.numbers),
  invariant(
    'M24',
    "an account's reserve is that of its subscriptions",
    checks.reserves,
    checks.allReserves,
  ),
  invariant(
    'M25',
    'a payout on its way was taken from its client',
    checks.payouts,
    checks.payoutsBooked,
  ),
  invariant('M26', 'a credit is of a completed order, never above its price', checks.credits),
]

function invariant(name: string, promise: string, ...of: Check[]): Invariant {
  return { name, promise, checks: of }
}
