/** How large a generated service is. Everything else follows from the number of accounts. */
export type Sizes = {
  accounts: number
  /** Accounts with money on their deposit address; every fourth of them less than a sweep is worth. */
  held: number
  /** A round is 18 orders, 12 deposits and 6 sweeps of one account, spread over the whole time. */
  rounds: number
  days: number
  /** Days whose events are kept; the partitions of the days before them were dropped. */
  keptDays: number
  /** Kept events that no order and no movement wrote. */
  otherEvents: number
}

/** At scale 1: 250,000 accounts, 20,000 held, 5 million orders, 15 million movements, 5 million kept events. */
export function sizesOf(scale: number): Sizes {
  const accounts = Math.round(250_000 * scale)
  return {
    accounts,
    held: Math.round(20_000 * scale),
    rounds: Math.ceil(accounts * 1.1136),
    days: 900,
    keptDays: 90,
    otherEvents: Math.round(3_650_000 * scale),
  }
}

/** What an account does in a round, in this order; places in time are evenly spread. */
export type Step = {
  step: number
  kind: 'deposit' | 'order' | 'sweep'
  /** The first order, the second … of the round. */
  nth: number
  /** Movement of the account and its balance after it, in prices of an order; for a sweep of no meaning. */
  version: number
  units: number
  failed: boolean
}

const GROUP = ['deposit', 'order', 'order', 'deposit', 'sweep', 'order'] as const
const GROUPS = 6
/** This order of a round was refunded. */
const FAILED = 7
/** A deposit pays for two orders. */
const UNITS = { deposit: 2, order: -1, sweep: 0 }

export const STEPS: readonly Step[] = stepsOfRound()
export const ORDERS_A_ROUND = STEPS.filter(({ kind }) => kind === 'order').length
/** What a round adds to an account: movements, and prices of an order. */
export const VERSIONS_A_ROUND = STEPS.filter(({ kind }) => kind !== 'sweep').length + 1
export const UNITS_A_ROUND = STEPS.reduce((sum, { kind }) => sum + UNITS[kind], 1)

function stepsOfRound(): Step[] {
  const nth = { deposit: 0, order: 0, sweep: 0 }
  let [version, units] = [0, 0]
  return Array.from({ length: GROUPS * GROUP.length }, (_, step) => {
    const kind = GROUP[step % GROUP.length]!
    nth[kind] += 1
    const failed = kind === 'order' && nth.order === FAILED
    if (kind !== 'sweep') version += 1
    units += UNITS[kind]
    const made = { step, kind, nth: nth[kind], version, units, failed }
    // The refund is a movement of the client as well.
    if (failed) [version, units] = [version + 1, units + 1]
    return made
  })
}
