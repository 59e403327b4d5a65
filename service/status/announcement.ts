import {
  type AnnouncementKind,
  COMPONENT_IDS,
  type Component,
  PLACES,
  type Place,
  SEVERITIES,
  type Severity,
} from '@ergon/contract'

/** What an operator writes. */
export type Draft = {
  kind: AnnouncementKind
  severity: Severity
  title: string
  text: string
  link: string | null
  from: Date
  /** Null: until it is withdrawn. */
  until: Date | null
  components: readonly Component[]
  places: readonly Place[]
}

type Shown = Pick<Draft, 'from' | 'until'> & { withdrawnAt: Date | null }
export type AnnouncementState = 'upcoming' | 'current' | 'over' | 'withdrawn'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const TITLE_MAX = 120
export const TEXT_MAX = 2_000
const LINK_MAX = 300
/** Maintenance longer than this is several windows. */
const MAINTENANCE_MS_MAX = 7 * DAY_MS
/** Nobody plans further ahead, and a mistyped year is found. */
const AHEAD_MS_MAX = 366 * DAY_MS
/** Maintenance that has begun is written down late, not a week later. */
const LATE_MS_MAX = DAY_MS

export function stateOf({ from, until, withdrawnAt }: Shown, now: Date): AnnouncementState {
  if (withdrawnAt) return 'withdrawn'
  if (until && until <= now) return 'over'
  return from <= now ? 'current' : 'upcoming'
}

/**
 * Why this cannot be shown, in a sentence; undefined: it can. `begunAt` is the beginning that one being edited has had, which
 * may lie further back than that of a new one.
 */
export function faultOf(draft: Draft, now: Date, begunAt?: Date): string | undefined {
  return faultOfWords(draft) ?? faultOfTime(draft, now, begunAt) ?? faultOfReach(draft)
}

function faultOfWords({ severity, title, text, link }: Draft): string | undefined {
  if (!SEVERITIES.includes(severity)) return `The severity is one of ${SEVERITIES.join(', ')}.`
  return (
    faultOfTitle(title) ??
    (lengthOf(text) > TEXT_MAX ? `The text has at most ${TEXT_MAX} characters.` : undefined) ??
    (hasControls(text) ? 'The text has characters that cannot be shown.' : undefined) ??
    (link === null ? undefined : faultOfLink(link))
  )
}

export function faultOfTitle(title: string): string | undefined {
  const length = lengthOf(title)
  if (title.trim() === '' || length > TITLE_MAX) {
    return `The title has 1 to ${TITLE_MAX} characters.`
  }
  return hasControls(title) || title.includes('\n') ? 'The title is one line.' : undefined
}

export function faultOfText(text: string): string | undefined {
  if (text.trim() === '' || lengthOf(text) > TEXT_MAX) {
    return `The text has 1 to ${TEXT_MAX} characters.`
  }
  return hasControls(text) ? 'The text has characters that cannot be shown.' : undefined
}

function faultOfLink(link: string): string | undefined {
  const url = URL.canParse(link) ? new URL(link) : undefined
  const isPlain = url?.protocol === 'https:' && url.username === '' && url.password === ''
  if (isPlain && /^https:\/\/[^\s"<>\\]+$/.test(link) && link.length <= LINK_MAX) return undefined
  return `The link begins with https:// and has at most ${LINK_MAX} characters.`
}

function faultOfTime({ kind, from, until }: Draft, now: Date, begunAt?: Date): string | undefined {
  const [fromMs, nowMs] = [from.getTime(), now.getTime()]
  if (Number.isNaN(fromMs) || Number.isNaN(until?.getTime())) {
    return 'A time is written with its zone, such as 2026-11-20T02:00:00Z.'
  }
  if (fromMs !== begunAt?.getTime() && fromMs < nowMs - LATE_MS_MAX) {
    return 'It begins at most a day ago.'
  }
  if (fromMs > nowMs + AHEAD_MS_MAX) return 'It begins within a year.'
  if (until === null) {
    return kind === 'maintenance' ? 'Maintenance needs an end: say until when.' : undefined
  }
  if (until <= from) return 'It ends after it begins.'
  if (until <= now) return 'Its end is already over.'
  if (kind === 'maintenance' && until.getTime() - fromMs > MAINTENANCE_MS_MAX) {
    return 'Maintenance takes at most 7 days.'
  }
  return until.getTime() - fromMs > AHEAD_MS_MAX ? 'It is shown for at most a year.' : undefined
}

function faultOfReach({ kind, components, places }: Draft): string | undefined {
  if (places.length === 0 || !places.every((place) => PLACES.includes(place))) {
    return `Say where it is shown: ${PLACES.join(', ')}.`
  }
  if (kind === 'announcement') {
    return components.length > 0 ? 'Only maintenance names components.' : undefined
  }
  return faultOfComponents(components)
}

export function faultOfComponents(components: readonly Component[]): string | undefined {
  const areKnown = components.every((one) => COMPONENT_IDS.includes(one))
  if (components.length > 0 && areKnown) return undefined
  return `Name at least one component: ${COMPONENT_IDS.join(', ')}.`
}

const lengthOf = (text: string) => [...text].length

/** Also marks that turn the direction of other text around. Line ends are no controls here. */
const hasControls = (text: string) =>
  /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u.test(text.replaceAll('\n', ''))

/** In the order of the list, each once; maintenance is always explained on the status page. */
export function tidied(draft: Draft): Draft {
  const isMaintenance = draft.kind === 'maintenance'
  return {
    ...draft,
    title: draft.title.trim(),
    text: draft.text.replaceAll('\r\n', '\n').trim(),
    components: unique(draft.components),
    places: unique(isMaintenance ? [...draft.places, 'status'] : draft.places),
  }
}

export const unique = <T>(list: readonly T[]): T[] => [...new Set(list)]
