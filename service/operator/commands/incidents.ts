import { type Component, IMPACTS, type Impact, PHASES, type Phase } from '@ergon/contract'
import type { Incident } from '../../status/index.ts'
import type { Operator } from '../operator.ts'
import { idIn, type Line, readLine, saidBy, Unclear } from '../options.ts'
import { EXIT, notUnderstood, printResponse } from './response.ts'

/** `npx ergon incidents …`: what the status page says went wrong. */
export async function runIncidents(
  { announcing }: Pick<Operator, 'announcing'>,
  args: string[],
): Promise<number> {
  const line = readLine(args)
  const [verb = 'list', id = ''] = line.words
  if (verb === 'list') {
    const rows = await announcing.incidents()
    line.say(rows, rows.map(textOf).join('\n') || 'There were no incidents yet.')
    return EXIT.done
  }
  if (verb === 'open') {
    const draft = {
      title: line.option('title'),
      text: line.option('message'),
      impact: wordIn(line, 'impact', IMPACTS) as Impact,
      components: line.option('touches').split(',') as Component[],
    }
    const opened = await announcing.openIncident(draft, saidBy(line))
    return printResponse(opened, (made) => line.say({ id: made }, `Opened: ${made}`))
  }
  idIn(id, 'The id of the incident')
  if (verb === 'update') {
    const said = { phase: wordIn(line, 'phase', PHASES) as Phase, text: line.option('message') }
    const updated = await announcing.updateIncident(id, said, saidBy(line))
    return printResponse(updated, () => line.say({ id }, 'Clients read it on the status page.'))
  }
  if (verb !== 'withdraw') return notUnderstood('incidents')
  const gone = await announcing.withdrawIncident(id, saidBy(line))
  return printResponse(gone, () => line.say({ id }, 'It is shown nowhere any more.'))
}

function wordIn(line: Line, name: string, words: readonly string[]): string {
  const word = line.option(name)
  if (words.includes(word)) return word
  throw new Unclear(`--${name} is one of ${words.join(', ')}.`)
}

function textOf({ id, title, impact, cause, components, beganAt, ...one }: Incident): string {
  const end = one.withdrawnAt ? 'withdrawn' : one.endedAt ? one.endedAt.toISOString() : 'open'
  const origin = cause ? 'measured' : 'written'
  const [last] = one.updates
  const words = last ? `\n    ${last.phase}: ${last.text}` : ''
  return `${id}  ${impact.padEnd(8)}  ${origin}  ${beganAt.toISOString()} to ${end}  ${components.join(', ')}\n    ${title}${words}`
}
