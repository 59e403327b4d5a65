import { useNow } from './clock.ts'

const DAY_MS = 86_400_000

function relative(ms: number): string {
  const seconds = Math.round(Math.abs(ms) / 1000)
  const size =
    seconds < 60
      ? `${seconds} s`
      : seconds < 3_600
        ? `${Math.floor(seconds / 60)} min`
        : `${Math.floor(seconds / 3_600)} h`
  if (seconds < 5) return 'just now'
  return ms >= 0 ? `${size} ago` : `in ${size}`
}

/** Relative up to a day, then the local date; the exact UTC time on hover. */
export function When({ at }: { at: string | null | undefined }) {
  const now = useNow()
  if (!at) return <span className="soft">–</span>
  const age = now - Date.parse(at)
  const text = Math.abs(age) < DAY_MS ? relative(age) : new Date(at).toLocaleDateString()
  return (
    <time dateTime={at} title={at.replace('T', ' ').replace('Z', ' UTC')}>
      {text}
    </time>
  )
}

export function Countdown({ until }: { until: string }) {
  const left = Math.max(Date.parse(until) - useNow(1_000), 0)
  const minutes = Math.floor(left / 60_000)
  const seconds = Math.floor((left % 60_000) / 1000)
  return (
    <span className="amount" role="timer">
      {left === 0 ? 'over' : `${minutes}:${String(seconds).padStart(2, '0')}`}
    </span>
  )
}
