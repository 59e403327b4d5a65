import { documentOf, type PlainFiles } from '../front/document.ts'
import { escaped, icons } from '../shared/html.ts'
import { momentOf, noticeText } from '../shared/notice.ts'
import { daysOf } from './bars.ts'
import { type Component, PHASE_WORDS, type PublicStatus, STATE_WORDS } from './words.ts'

type Incident = PublicStatus['incidents'][number]
type Maintenance = PublicStatus['maintenance'][number]
type Announcement = PublicStatus['announcements'][number]

const DESCRIPTION =
  'Whether purchases, delivery, webhooks and the other parts of Ergon work now, incidents, planned maintenance, and the last 90 days, measured once a minute.'

/** The public status page. All texts of operators are escaped. */
export function statusPage(status: PublicStatus, files: PlainFiles): string {
  const { state, message, components, incidents, maintenance, announcements } = status
  const open = incidents.filter(({ ended_at }) => ended_at === null)
  const past = incidents.filter(({ ended_at }) => ended_at !== null)
  const nameOf = (id: string) => components.find((one) => one.id === id)?.name ?? id
  const parts = [
    overall(status),
    ...announcements.map(announcementCard),
    ...open.map((one) => incidentCard(one, nameOf)),
    ...maintenance.map((one) => maintenanceCard(one, nameOf)),
    `<section class="card" aria-labelledby="components">
<h2 id="components">The last 90 days</h2>
<p class="soft legend">${LEGEND}</p>
${components.map(componentPart).join('\n')}
</section>`,
    `<section class="card" aria-labelledby="past">
<h2 id="past">Past incidents</h2>
${past.length === 0 ? '<p class="soft">None in the last 90 days.</p>' : past.map((one) => pastIncident(one, nameOf)).join('\n')}
</section>`,
    `<section class="card" aria-labelledby="method">
<h2 id="method">How it is measured</h2>
<p class="soft">${escaped(status.method)} The same as data: <a href="/v1/public/status">/v1/public/status</a>.</p>
</section>`,
  ]
  return documentOf({
    title: `${STATE_WORDS[state]}: ${message} · Ergon status`,
    description: DESCRIPTION,
    files,
    main: `<div class="status" data-state="${state}" data-open="${open.map(({ id }) => id).join(' ')}">
${parts.join('\n')}
</div>`,
    footer:
      'Times are of UTC without JavaScript, else of your zone. No tracking, no cookies. <a href="/docs">Documentation</a>',
  })
}

function overall({ state, message, measured_at, stale }: PublicStatus): string {
  const measured = measured_at === null ? 'Not measured yet.' : `Measured ${momentOf(measured_at)}.`
  return `<section class="card overall ${state}">
${mark(state)}
<div>
<h1>${escaped(message)}</h1>
<p class="soft">${stale ? 'This is what this server knew last. ' : ''}${measured}</p>
</div>
</section>`
}

/** The state in a word; the colour says the same. */
const chip = (state: Component['state']) =>
  `<span class="chip ${state}">${mark(state)}${STATE_WORDS[state]}</span>`

const SHAPES: Record<Component['state'], string> = {
  operational: 'm5 12.5 4.5 4.5L19 7.5',
  degraded: 'M12 4 2.5 20h19zM12 10v4M12 17v.01',
  outage: 'M3 12a9 9 0 1 0 18 0a9 9 0 1 0-18 0M9 9l6 6M15 9l-6 6',
  maintenance: 'M3 12a9 9 0 1 0 18 0a9 9 0 1 0-18 0M12 7v5l3.5 2',
  unknown: 'M7 12h10',
}
const mark = (state: Component['state']) =>
  `<svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false"><path d="${SHAPES[state]}"/></svg>`

const LEGEND = ['operational', 'degraded', 'outage', 'maintenance', 'no_data']
  .map(
    (state) =>
      `<span class="key"><span class="${state}"></span>${state === 'no_data' ? 'No data' : STATE_WORDS[state as Component['state']]}</span>`,
  )
  .join(' ')

function componentPart(component: Component): string {
  const { id, name, state, since } = component
  const begun = since === null ? '' : ` <span class="soft">since ${momentOf(since)}</span>`
  return `<article class="component" aria-labelledby="c-${escaped(id)}">
<div class="line"><h3 id="c-${escaped(id)}">${escaped(name)}</h3><p>${chip(state)}${begun}</p></div>
${daysOf(component)}
</article>`
}

const touched = (ids: readonly string[], nameOf: (id: string) => string) =>
  ids.map((id) => escaped(nameOf(id))).join(', ')

function incidentCard(one: Incident, nameOf: (id: string) => string): string {
  return `<section class="card incident ${one.impact}" aria-labelledby="i-${one.id}">
<p class="kind">${chip(one.impact)}</p>
<h2 id="i-${one.id}"><bdi>${escaped(one.title)}</bdi></h2>
<p class="soft">${touched(one.components, nameOf)}. Began ${momentOf(one.began_at)}${one.origin === 'automatic' ? ', found by our measurements' : ''}.</p>
${updatesOf(one)}
</section>`
}

function pastIncident(one: Incident, nameOf: (id: string) => string): string {
  return `<article class="past">
<h3><bdi>${escaped(one.title)}</bdi></h3>
<p class="soft">${STATE_WORDS[one.impact]}: ${touched(one.components, nameOf)}. ${momentOf(one.began_at)} to ${momentOf(one.ended_at!)}.</p>
<details><summary>${one.updates.length} ${one.updates.length === 1 ? 'update' : 'updates'}</summary>${updatesOf(one)}</details>
</article>`
}

function updatesOf({ updates }: Incident): string {
  const rows = updates.map(
    ({ at, phase, text }) =>
      `<li><b>${PHASE_WORDS[phase] ?? escaped(phase)}</b> <span class="soft">${momentOf(at)}</span>${noticeText(text)}</li>`,
  )
  return `<ol class="updates">${rows.join('')}</ol>`
}

function maintenanceCard(one: Maintenance, nameOf: (id: string) => string): string {
  const words = one.in_progress ? 'Maintenance under way' : 'Planned maintenance'
  return `<section class="card maintenance" aria-labelledby="m-${one.id}">
<p class="kind"><span class="chip maintenance">${mark('maintenance')}${words}</span></p>
<h2 id="m-${one.id}"><bdi>${escaped(one.title)}</bdi></h2>
<p class="when">${momentOf(one.from)} to ${momentOf(one.until)}</p>
<p class="soft">${touched(one.components, nameOf)}</p>
${noticeText(one.text)}${linkOf(one.link)}
</section>`
}

function announcementCard(one: Announcement): string {
  return `<section class="card announcement ${one.severity}" aria-labelledby="a-${one.id}">
<h2 id="a-${one.id}">${icons.info}<bdi>${escaped(one.title)}</bdi></h2>
${noticeText(one.text)}${linkOf(one.link)}
</section>`
}

const linkOf = (link: string | null) =>
  link === null
    ? ''
    : `<p><a href="${escaped(link)}" rel="noopener noreferrer nofollow">More about it</a></p>`
