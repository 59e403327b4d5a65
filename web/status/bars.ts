import { dayWords } from '../shared/times.ts'
import { type Component, DAY_WORDS, type Day, percentWords } from './words.ts'

const STEP = 8
const WIDTH = 6
const HEIGHT = 32
/** Days told one by one to those who do not see the bars. */
const TOLD_MAX = 10

/** 90 days as bars, the same in a sentence for screen readers, and the days with trouble as a list. */
export function daysOf({ days, uptime_bps }: Component): string {
  const bars = days.map(
    (day, place) =>
      `<rect class="${day.state}" x="${place * STEP}" width="${WIDTH}" height="${HEIGHT}"><title>${dayLine(day)}</title></rect>`,
  )
  const width = days.length * STEP - (STEP - WIDTH)
  const uptime = uptime_bps === null ? 'No data yet' : `${percentWords(uptime_bps)} up`
  return `<svg class="days" viewBox="0 0 ${width} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${summaryOf(days, uptime)}">
${bars.join('')}
</svg>
<p class="ends"><span>${days.length} days ago</span><b>${uptime}</b><span>Today</span></p>
${troubleList(days)}`
}

function dayLine({ date, state, uptime_bps, minutes }: Day): string {
  const uptime = uptime_bps === null ? '' : `, ${percentWords(uptime_bps)} up`
  const measured = minutes === 0 ? '' : `, ${minutes} minutes measured`
  return `${dayWords(date)}: ${DAY_WORDS[state]}${uptime}${measured}`
}

const isTrouble = ({ state }: Day) => state === 'outage' || state === 'degraded'

function summaryOf(days: readonly Day[], uptime: string): string {
  const trouble = days.filter(isTrouble)
  const empty = days.filter(({ state }) => state === 'no_data').length
  const told = trouble.slice(-TOLD_MAX).map(dayLine).join('. ')
  const parts = [
    `The last ${days.length} days: ${uptime}`,
    trouble.length === 0 ? 'No day with trouble' : `Days with trouble: ${trouble.length}. ${told}`,
    ...(empty > 0 ? [`Days without data: ${empty}`] : []),
  ]
  return `${parts.join('. ')}.`
}

function troubleList(days: readonly Day[]): string {
  const trouble = days.filter(isTrouble).toReversed()
  if (trouble.length === 0) return ''
  const rows = trouble.map((day) => `<li>${dayLine(day)}</li>`)
  const name = trouble.length === 1 ? '1 day with trouble' : `${trouble.length} days with trouble`
  return `<details><summary>${name}</summary><ul>${rows.join('')}</ul></details>`
}
