import { hourWords } from '../shared/times.ts'

const WIDTH = 720
const HEIGHT = 240
const LEFT = 44
const BOTTOM = 32
const STEP = (WIDTH - LEFT) / 24
const NAMED_HOURS = [0, 6, 12, 18]

/** The prices of the day as bars, and as a table for those who do not see them. */
export function hoursChart(schedule: readonly bigint[], now: number): string {
  const numbers = schedule.map(Number)
  const most = Math.max(...numbers)
  const least = Math.min(...numbers)
  const height = (value: number) => Math.round((value / most) * (HEIGHT - BOTTOM - 16))
  const base = HEIGHT - BOTTOM
  const lines = [0, most].map(
    (value) =>
      `<path class="grid" d="M${LEFT} ${base - height(value)}H${WIDTH}"/><text x="${LEFT - 8}" y="${base - height(value) + 4}" text-anchor="end">${value}</text>`,
  )
  const bars = numbers.map((value, hour) => {
    const kind = hour === now ? ' class="now"' : value === least ? ' class="least"' : ''
    const x = LEFT + hour * STEP + 2
    return `<rect${kind} x="${x.toFixed(1)}" y="${base - height(value)}" width="${(STEP - 4).toFixed(1)}" height="${height(value)}" rx="3"><title>${hourWords(hour)}: ${value} SUN</title></rect>`
  })
  const names = NAMED_HOURS.map(
    (hour) =>
      `<text x="${(LEFT + hour * STEP + 2).toFixed(1)}" y="${HEIGHT - 6}">${hourWords(hour)}</text>`,
  )
  const rows = numbers.map((value, hour) => `<tr><td>${hourWords(hour)}</td><td>${value}</td></tr>`)
  return `<p class="soft">SUN per Energy. <span class="key now"></span>now <span class="key least"></span>cheapest. Hours of UTC, the same every day.</p>
<svg class="hours" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="Price by hour: from ${least} to ${most} SUN per Energy, now ${numbers[now]}">
${lines.join('')}${bars.join('')}${names.join('')}
</svg>
<details><summary>As a table</summary><table><thead><tr><th>Hour, UTC</th><th>SUN per Energy</th></tr></thead><tbody>${rows.join('')}</tbody></table></details>`
}
