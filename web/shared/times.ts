const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000

const MONTH_NAMES = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
]
const MONTHS = MONTH_NAMES.map((name) => name.slice(0, 3))

const two = (number: number) => String(number).padStart(2, '0')

/** 13:59, in the reader's zone. */
export function clockWords(ms: number): string {
  const at = new Date(ms)
  return `${two(at.getHours())}:${two(at.getMinutes())}`
}

/** 09:00, of an hour of the day. */
export const hourWords = (hour: number) => `${two(hour)}:00`

/** 19 Nov, of a day such as 2026-11-19, which has no zone. */
export function dayWords(day: string): string {
  const [, month = '1', date = '1'] = day.split('-')
  return `${Number(date)} ${MONTHS[Number(month) - 1]}`
}

/** November 2026, of a month such as 2026-11. */
export function monthWords(month: string): string {
  const [year, number = '1'] = month.split('-')
  return `${MONTH_NAMES[Number(number) - 1]} ${year}`
}

/** 19 Nov 13:59; in another year 19 Nov 2025. */
export function dateWords(ms: number, nowMs: number): string {
  const at = new Date(ms)
  const day = `${at.getDate()} ${MONTHS[at.getMonth()]}`
  const isThisYear = at.getFullYear() === new Date(nowMs).getFullYear()
  return isThisYear ? `${day} ${clockWords(ms)}` : `${day} ${at.getFullYear()}`
}

/** UTC+1, of the reader at that time. */
export function zoneWords(ms: number): string {
  const ahead = -new Date(ms).getTimezoneOffset()
  return `UTC${ahead === 0 ? '' : `${ahead < 0 ? '\u2212' : '+'}${Math.abs(ahead) / 60}`}`
}

/** With year, seconds and zone, for those who compare it with a log. */
export function exactWords(ms: number): string {
  const at = new Date(ms)
  return `${at.getDate()} ${MONTHS[at.getMonth()]} ${at.getFullYear()} ${clockWords(ms)}:${two(at.getSeconds())} ${zoneWords(ms)}`
}

/** 4 min, 2 h 5 min, 3 days. */
export function spanWords(ms: number): string {
  const minutes = Math.floor(Math.abs(ms) / MINUTE_MS)
  if (minutes < 60) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  if (hours >= 48) return `${Math.floor(hours / 24)} days`
  return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`
}

/** Relative below an hour, else the date. */
export function whenWords(ms: number, nowMs: number): string {
  const age = nowMs - ms
  if (Math.abs(age) >= HOUR_MS) return dateWords(ms, nowMs)
  if (Math.abs(age) < MINUTE_MS) return age >= 0 ? 'just now' : 'in less than a minute'
  return age > 0 ? `${spanWords(age)} ago` : `in ${spanWords(age)}`
}
