import {
  ANNOUNCEMENT_KINDS,
  type AnnouncementKind,
  type Component,
  type Place,
  type Severity,
} from '@ergon/contract'
import type { Clock } from '../../kernel/index.ts'
import { type AnnouncementRow, type Draft, stateOf } from '../../status/index.ts'
import type { Operator } from '../operator.ts'
import { idIn, type Line, readLine, saidBy, Unclear } from '../options.ts'
import { timeOf } from '../times.ts'
import { EXIT, notUnderstood, printResponse } from './response.ts'

type Deps = { operator: Operator; clock: Clock }

/** `npx ergon announcements …`: what clients are told, and when maintenance is. */
export async function runAnnouncements({ operator, clock }: Deps, args: string[]): Promise<number> {
  const { announcing } = operator
  const line = readLine(args)
  const [verb = 'list', id = ''] = line.words
  if (verb === 'list') {
    const rows = await announcing.announcements()
    const text = rows.map((row) => textOf(row, clock.now()))
    line.say(rows, text.join('\n') || 'Nothing was announced yet.')
    return EXIT.done
  }
  if (verb === 'write') {
    const draft = draftIn(line, emptyDraft(line, clock.now()))
    const written = await announcing.write(draft, saidBy(line))
    return printResponse(written, (made) => line.say({ id: made }, `Written: ${made}`))
  }
  idIn(id, 'The id of the announcement')
  if (verb === 'edit') {
    const before = (await announcing.announcements()).find((row) => row.id === id)
    const { kind: _kind, ...draft } = draftIn(line, before ?? emptyDraft(line, clock.now()))
    const edited = await announcing.edit(id, draft, saidBy(line))
    return printResponse(edited, () => line.say({ id }, 'It is changed.'))
  }
  if (verb === 'end') {
    const ended = await announcing.end(id, saidBy(line))
    return printResponse(ended, () => line.say({ id }, 'It has ended.'))
  }
  if (verb !== 'withdraw') return notUnderstood('announcements')
  const gone = await announcing.withdraw(id, saidBy(line))
  return printResponse(gone, () => line.say({ id }, 'It is shown nowhere any more.'))
}

function textOf(row: AnnouncementRow, now: Date): string {
  const until = row.until ? ` to ${row.until.toISOString()}` : ''
  const touches = row.components.length > 0 ? `  ${row.components.join(', ')}` : ''
  return `${row.id}  ${stateOf(row, now).padEnd(9)}  ${row.kind} (${row.severity})  ${row.from.toISOString()}${until}  on ${row.places.join(', ')}${touches}\n    ${row.title}`
}

type Fields = Omit<Draft, 'components' | 'places'> & { components: string[]; places: string[] }

function emptyDraft(line: Line, now: Date): Fields {
  const kind = (line.option('kind') || 'announcement') as AnnouncementKind
  if (!ANNOUNCEMENT_KINDS.includes(kind)) {
    throw new Unclear(`--kind is one of ${ANNOUNCEMENT_KINDS.join(', ')}.`)
  }
  const places = ['workspace', 'status']
  const words = { severity: 'info', title: '', text: '', link: null } as const
  return { kind, ...words, from: now, until: null, components: [], places }
}

/** An option that is left out stays as it was; `none` takes a link, an end or the components away. */
function draftIn(line: Line, before: Fields): Draft {
  const given = (name: string) => line.option(name) || undefined
  const listIn = (name: string, otherwise: string[]) =>
    given(name)
      ?.split(',')
      .filter((one) => one !== '' && one !== 'none') ?? otherwise
  const [from, until, link] = [given('from'), given('until'), given('link')]
  return {
    kind: before.kind,
    severity: (given('severity') as Severity | undefined) ?? before.severity,
    title: given('title') ?? before.title,
    text: given('message') ?? before.text,
    link: link === undefined ? before.link : link === 'none' ? null : link,
    from: from === undefined ? before.from : timeOf(from),
    until: until === undefined ? before.until : until === 'none' ? null : timeOf(until),
    components: listIn('touches', before.components) as Component[],
    places: listIn('places', before.places) as Place[],
  }
}
