import type { PayLanguage } from '@ergon/contract'
import { escaped, icons } from '../shared/html.ts'
import { noticeText } from '../shared/notice.ts'
import { fill } from './amounts.ts'
import { MOMENT } from './data.ts'
import type { Messages } from './messages/en.ts'

/** What operators tell those who pay. All of it is text. */
export type PayNotice = {
  kind: 'announcement' | 'maintenance'
  severity: 'info' | 'warning' | 'critical'
  title: string
  text: string
  link: string | null
  from: Date
  until: Date | null
}

type Shown = { language: PayLanguage; messages: Messages; now: Date }

/** Announcements, maintenance under way and maintenance to come, above the offer. */
export function noticesPart(
  notices: readonly PayNotice[],
  { language, messages, now }: Shown,
): string {
  const parts = notices.map((one) => noticePart(one, { language, messages, now }))
  return parts.length === 0 ? '' : `<div class="notices">\n${parts.join('\n')}\n</div>\n`
}

function noticePart(one: PayNotice, { language, messages: { page }, now }: Shown): string {
  const { kind, severity, title, text, from, until } = one
  const isUnderWay = kind === 'maintenance' && from <= now
  const own =
    kind === 'maintenance'
      ? fill(escaped(isUnderWay ? page.maintenance : page.maintenancePlanned), {
          from: momentOf(from, language),
          until: momentOf(until ?? from, language),
        })
      : ''
  const look = isUnderWay ? 'under-way' : kind === 'maintenance' ? 'planned' : severity
  return `<section class="note notice ${look}"${isUnderWay ? ' role="status"' : ''}>
${isUnderWay ? icons.paused : icons.info}<div class="notice-text">
${own && `<p><b>${own}</b></p>`}<p><b dir="auto">${escaped(title)}</b></p>
${noticeText(text)}${one.link === null ? '' : `<p><a href="${escaped(one.link)}" rel="noopener noreferrer nofollow">${escaped(page.moreAbout)}</a></p>`}
</div></section>`
}

/** In UTC: the script writes it in the reader's zone. */
function momentOf(at: Date, language: PayLanguage): string {
  const words = new Intl.DateTimeFormat(language, { ...MOMENT, timeZone: 'UTC' }).format(at)
  return `<time datetime="${at.toISOString()}">${escaped(words)} UTC</time>`
}

/** When a notice begins or ends next: the page is loaded again then. Null: nothing is planned. */
export function nextChange(notices: readonly PayNotice[], now: Date): string | null {
  const times = notices.flatMap(({ from, until }) => [from, ...(until ? [until] : [])])
  const next = times.filter((at) => at > now).sort((a, b) => a.getTime() - b.getTime())[0]
  return next?.toISOString() ?? null
}
