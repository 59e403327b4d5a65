import { clockWords, exactWords, spanWords, whenWords, zoneWords } from './times.ts'
import { useNow } from './useNow.ts'

const HOUR_MS = 3_600_000

/** A moment: relative below an hour, else its date; year, seconds and zone on hover. */
export function When({ at }: { at: string | null | undefined }) {
  const now = useNow()
  if (!at) return <span className="soft">–</span>
  const ms = Date.parse(at)
  return (
    <time dateTime={at} title={exactWords(ms)} className="nowrap">
      {whenWords(ms, now)}
    </time>
  )
}

/** The time that is left, by the second in its last hour. */
export function Countdown({ until }: { until: string }) {
  const left = Math.max(Date.parse(until) - useNow(1_000), 0)
  const minutes = Math.floor(left / 60_000)
  const seconds = Math.floor((left % 60_000) / 1000)
  const words = left >= HOUR_MS ? spanWords(left) : `${minutes}:${String(seconds).padStart(2, '0')}`
  return (
    <span className="amount" role="timer">
      {left === 0 ? 'over' : words}
    </span>
  )
}

/** Until when something can be used, and how long that is. */
export function Until({ at }: { at: string }) {
  const ms = Date.parse(at)
  const left = ms - useNow()
  const end = `${clockWords(ms)} ${zoneWords(ms)}`
  return (
    <time dateTime={at} title={exactWords(ms)}>
      {left > 0 ? `until ${end}, ${spanWords(left)} left` : `until ${end}, over`}
    </time>
  )
}
