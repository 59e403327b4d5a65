import type { FlowRow } from '../deposits/index.ts'
import type { SentRow } from './store.ts'

const DAY_MS = 86_400_000
/** Averages are over so many days, or over as many as there were since the first movement. */
export const FORECAST_DAYS = 7

/** What is expected to move the hot wallet in the next 24 hours, in SUN. */
export type Forecast = {
  days: number
  /** Of an average day, rounded up. */
  payouts: bigint
  topUps: bigint
  fees: bigint
  /** Of an average day, rounded down. */
  sweeps: bigint
  /** Payouts that were asked for and nobody has approved. */
  requested: bigint
  /** What leaves. */
  out: bigint
  /** What has to be there beside sweeps; never below zero. */
  net: bigint
}

export function forecastOf(flows: FlowRow, sent: SentRow, now: Date): Forecast {
  const first = [flows.first, sent.first].flatMap((at) => at?.getTime() ?? [])
  const spanMs = first.length > 0 ? now.getTime() - Math.min(...first) : DAY_MS
  const days = Math.min(FORECAST_DAYS, Math.max(1, Math.ceil(spanMs / DAY_MS)))
  const aDay = (sum: bigint) => (sum + BigInt(days) - 1n) / BigInt(days)
  const payouts = aDay(flows.payouts)
  const topUps = aDay(sent.topUps)
  const fees = aDay(flows.fees + sent.fees)
  const sweeps = flows.sweeps / BigInt(days)
  const { requested } = flows
  const out = payouts + topUps + fees + requested
  return {
    days,
    payouts,
    topUps,
    fees,
    sweeps,
    requested,
    out,
    net: out > sweeps ? out - sweeps : 0n,
  }
}

/** Of what is there and not under way: what is left after the day, and for how many hours it is enough. */
export function outlookOf(
  { hot, underWay, floor }: { hot: bigint; underWay: bigint; floor: bigint },
  { net }: Forecast,
) {
  const spendable = hot - underWay
  const afterDay = spendable - net
  const hours = net > 0n && spendable > 0n ? Number((spendable * 240n) / net) / 10 : undefined
  return {
    spendable,
    afterDay,
    /** Undefined: nothing is expected to leave. */
    hoursLeft: spendable <= 0n ? 0 : hours,
    isShort: afterDay < floor,
  }
}

/** The part of the hot wallet above what is owed, under way and expected, and what of it goes to the cold address. */
export function surplusOf(
  of: {
    hot: bigint
    owed: bigint
    underWay: bigint
    surplus: bigint
    floor: bigint
    ceiling: bigint
  },
  { net }: Forecast,
): { free: bigint; amount: bigint } {
  const { hot, owed, underWay, surplus, floor, ceiling } = of
  // The hot wallet covers all that is owed by itself: what is on deposit addresses may not be swept in time.
  const [alone, together] = [hot - owed, surplus]
  const free = (alone < together ? alone : together) - underWay - net
  return { free, amount: free > ceiling ? free - (floor + ceiling) / 2n : 0n }
}
