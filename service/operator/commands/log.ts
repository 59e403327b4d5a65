import { csvLine } from '../../account/index.ts'
import { dayAfter, isDay } from '../../books/index.ts'
import type { Actions, Asked } from '../actions.ts'
import { jsonOf, type Line, readLine, Unclear } from '../options.ts'
import type { ActionRow } from '../store.ts'
import { EXIT } from './response.ts'

const LISTED = 100
const PAGE = 1_000

/** `npx ergon log`: what operators did, newest first. As CSV all of it. */
export async function runLog(actions: Actions, args: string[]): Promise<number> {
  const line = readLine(args)
  const asked = askedIn(line)
  if (line.option('csv') !== '') {
    process.stdout.write(csvLine(['at', 'who', 'what', 'of', 'why', 'outcome', 'change']))
    for (let before: string | undefined; ; ) {
      const rows = await actions.list({ ...asked, before, limit: PAGE })
      for (const row of rows) process.stdout.write(csvLine(cellsOf(row)))
      if (rows.length < PAGE) return EXIT.done
      before = rows.at(-1)!.id
    }
  }
  const rows = await actions.list({ ...asked, limit: LISTED })
  line.say(rows, rows.map(textOf).join('\n') || 'There are no actions like this.')
  return EXIT.done
}

function askedIn(line: Line): Omit<Asked, 'limit'> {
  const [who, subject, from, to] = ['who', 'of', 'from', 'to'].map((name) => line.option(name))
  for (const day of [from, to]) {
    if (day && !isDay(day)) throw new Unclear('--from and --to are days: 2026-11-18.')
  }
  return {
    who: who || undefined,
    subject: subject || undefined,
    from: from ? new Date(from) : undefined,
    to: to ? new Date(dayAfter(to)) : undefined,
  }
}

const outcomeOf = ({ done }: ActionRow) => (done === null ? 'not known' : done ? 'done' : 'refused')

function cellsOf(row: ActionRow): string[] {
  const { at, who, what, subject, why, change } = row
  return [at.toISOString(), who, what, subject, why, outcomeOf(row), change ? jsonOf(change) : '']
}

function textOf(row: ActionRow): string {
  const { at, who, what, subject, why } = row
  const deed = subject === who ? what : `${what} ${subject}`
  return `${at.toISOString()}  ${who}  ${deed}  ${outcomeOf(row)}: ${why}`
}
