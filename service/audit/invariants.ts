import type { Statement } from '../db/index.ts'
import {
  type Broken,
  brokenChains,
  brokenCharges,
  brokenClaims,
  brokenCloses,
  brokenDeposits,
  brokenEnds,
  brokenEscrow,
  brokenEvents,
  brokenKeys,
  brokenNumbers,
  brokenPayments,
  brokenPayouts,
  brokenRefunds,
  brokenReserves,
  brokenSales,
  brokenSigns,
  brokenTotals,
} from './invariants.sql.ts'

export type Invariant = {
  name: string
  promise: string
  /** Selects the rows that break it. */
  broken: Statement<Broken>
  /** Cheap enough for every minute, whatever the age of the service. */
  quick: boolean
}

/** What must be true at every commit. M1, M5, M12 and M20 cannot be broken: the database refuses. */
export const invariants: readonly Invariant[] = [
  invariant(
    'M2',
    'movements of an account are gapless and lead to its balance',
    brokenChains,
    true,
  ),
  invariant('M3', 'balances are the sum of their movements', brokenTotals),
  invariant('M4', 'a balance is negative only through a kind that may overdraw', brokenSigns, true),
  invariant('M6', 'a final order was delivered or refunded, once', brokenEnds),
  invariant('M7', 'escrow is the price of the orders under way', brokenEscrow),
  invariant('M8', 'a refund equals its purchase, to the same account', brokenRefunds),
  invariant('M9', 'a deposit is in the ledger exactly while it stands', brokenDeposits),
  invariant('M11', "a completed order's delegations cover its amount", brokenClaims),
  invariant(
    'M13',
    'one charge per covered call, day and activation, and its counter',
    brokenCharges,
  ),
  invariant('M14', 'a closed subscription was charged for nothing after its close', brokenCloses),
  invariant('M15', 'a payment was charged, refunded or skipped as it says', brokenPayments),
  invariant('M16', 'charges for sales are the sum of the payments', brokenSales),
  invariant('M17', 'a key names an order of its account', brokenKeys),
  invariant('M19', 'one event per final order and per movement', brokenEvents),
  invariant('M23', 'orders of an account are numbered without a gap', brokenNumbers),
  invariant('M24', "an account's reserve is that of its subscriptions", brokenReserves),
  invariant('M25', 'a payout on its way was taken from its client', brokenPayouts, true),
]

function invariant(
  name: string,
  promise: string,
  broken: Statement<Broken>,
  quick = false,
): Invariant {
  return { name, promise, broken, quick }
}
