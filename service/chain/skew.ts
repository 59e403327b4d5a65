import type { Log } from '../kernel/index.ts'

const ALERT_MS = 5_000
/** Number of heads considered: one late head does not prove a wrong clock. */
const HEADS = 5

/** Between our clock and block time. */
export type Skew = {
  /** By how much our clock is ahead; negative: block time is ahead of our clock. */
  ms(): number
  /** Large enough for an operator to check. */
  isLarge(): boolean
  /** For an operator. */
  sentence(): string
}

/** The least skew among the newest heads. */
export function createSkew(log: Log): Skew & { note(number: number, skewMs: number): void } {
  let heads: { number: number; ms: number }[] = []
  let wasLarge = false

  const ms = () => heads.reduce((least, head) => smaller(least, head.ms), heads[0]?.ms ?? 0)
  const isLarge = () => Math.abs(ms()) >= ALERT_MS

  function sentence(): string {
    const seconds = Math.round(Math.abs(ms()) / 1_000)
    const how = ms() > 0 ? 'ahead of' : 'behind'
    return `Our clock is ${seconds} s ${how} block time: the clock is wrong, or the node is behind the network.`
  }

  return {
    ms,
    isLarge,
    sentence,
    /** Each head counts once, with its first measurement. */
    note(number: number, skewMs: number) {
      if (heads.at(-1)?.number === number) return
      heads = [...heads, { number, ms: skewMs }].slice(-HEADS)
      if (isLarge() && !wasLarge) log.warn('clock_skew', { reason: sentence() })
      if (!isLarge() && wasLarge) log.info('clock_skew_over')
      wasLarge = isLarge()
    },
  }
}

function smaller(one: number, other: number): number {
  return Math.abs(other) < Math.abs(one) ? other : one
}
