import { BOOKS_GROUPS, type BooksGroup } from '@ergon/contract'
import { csvLine } from '../../account/index.ts'
import {
  type Books,
  dayAfter,
  daysOf,
  type Figures,
  isDay,
  type Range,
  type Report,
  type ReportRow,
} from '../../books/index.ts'
import { type Clock, formatTrx } from '../../kernel/index.ts'
import { closeMonth, type Month } from '../months.ts'
import type { Operator } from '../operator.ts'
import { type Line, readLine, saidBy, Unclear } from '../options.ts'
import { EXIT, notUnderstood, printResponse } from './response.ts'

type Rooms = { books: Books; operator: Operator }

/** Columns of the report: amounts in TRX, then numbers of orders. */
const AMOUNTS = [
  ['revenue', 'revenue'],
  ['refunds', 'refunds'],
  ['rewards', 'rewards'],
  ['providerCost', 'provider_cost'],
  ['networkFees', 'network_fees'],
  ['goodwill', 'goodwill'],
  ['margin', 'margin'],
  ['returned', 'returned'],
] as const
const COUNTS = ['completed', 'failed'] as const
/** Worked out, so they stand after everything that is booked. */
const AFTER_STAKE = ['stakeCost', 'marginAfterStake'] as const
const AFTER_STAKE_HEAD = ['stake_cost_calculated_trx', 'margin_after_stake_calculated_trx']

/** `npx ergon report …`: profit and loss. Exit code 1 when it is not the ledger's. */
export async function runReport(
  { books, operator }: Rooms,
  args: string[],
  clock: Clock,
): Promise<number> {
  const line = readLine(args)
  const [verb, month = ''] = line.words
  if (verb === 'months') {
    const months = await books.months()
    line.say(months, months.map(monthText).join('\n') || 'No month has been counted yet.')
    return EXIT.done
  }
  if (verb === 'close') {
    const closing = { month, ...saidBy(line) }
    const closed = await closeMonth({ books, actions: operator.actions }, closing)
    return printResponse(closed, (done) => line.say(done, monthText(done)))
  }
  if (verb !== undefined) return notUnderstood('report')
  const range = rangeIn(line, clock)
  const groups = groupsIn(line)
  const report = await books.report(range, groups)
  if (line.option('csv') === '') line.say(report, textOf(report, groups))
  else {
    process.stdout.write(csvOf(report, groups))
    console.error(notesOf(report).join('\n'))
  }
  return report.check.different.length > 0 ? EXIT.refused : EXIT.done
}

function rangeIn(line: Line, clock: Clock): Range {
  const [month, from, to] = [line.option('month'), line.option('from'), line.option('to')]
  if (month !== '' && from + to !== '') throw new Unclear('Say --month, or --from and --to.')
  const today = clock.now().toISOString().slice(0, 10)
  if (from === '' && to === '') {
    const days = daysOf(month || today.slice(0, 7))
    if (!days) throw new Unclear('--month needs a month, such as 2026-11.')
    return days
  }
  const [first, last] = [from || to, to || today]
  if (!isDay(first) || !isDay(last)) throw new Unclear('--from and --to are days: 2026-11-18.')
  if (first > last) throw new Unclear('The first day comes after the last one.')
  return { from: first, to: dayAfter(last) }
}

function groupsIn(line: Line): BooksGroup[] {
  const words = (line.option('group') || 'day').split(',').map((word) => word.trim())
  const isGroup = (word: string): word is BooksGroup =>
    (BOOKS_GROUPS as readonly string[]).includes(word)
  if (words.every(isGroup)) return words
  throw new Unclear(`--group needs some of ${BOOKS_GROUPS.join(', ')}, with commas between them.`)
}

const amountsOf = (row: Figures) => AMOUNTS.map(([name]) => formatTrx(row[name]))
const countsOf = (row: Figures) => COUNTS.map((name) => String(row[name]))
const afterStakeOf = (row: Pick<ReportRow, (typeof AFTER_STAKE)[number]>, none: string) =>
  AFTER_STAKE.map((name) => (row[name] === null ? none : formatTrx(row[name])))
const headOf = (groups: readonly BooksGroup[]) => [
  ...groups,
  ...AMOUNTS.map(([, name]) => `${name}_trx`),
  ...COUNTS,
  ...AFTER_STAKE_HEAD,
]

function csvOf({ rows }: Report, groups: readonly BooksGroup[]): string {
  const lines = rows.map((row) => [
    ...groups.map((group) => row[group] ?? ''),
    ...amountsOf(row),
    ...countsOf(row),
    ...afterStakeOf(row, ''),
  ])
  return [headOf(groups), ...lines].map(csvLine).join('')
}

function textOf(report: Report, groups: readonly BooksGroup[]): string {
  const name = (row: Record<BooksGroup, string | null>) => groups.map((group) => row[group] || '–')
  const head = headOf(groups).map((title) => title.replace(/_trx$/, '').replaceAll('_', ' '))
  const body = report.rows.map((row) => [
    ...name(row),
    ...amountsOf(row),
    ...countsOf(row),
    ...afterStakeOf(row, '–'),
  ])
  const total = [
    'total',
    ...groups.slice(1).map(() => ''),
    ...amountsOf(report.total),
    ...countsOf(report.total),
    ...afterStakeOf(report.total, '–'),
  ]
  const table = [head, ...body, total]
  const widths = head.map((_, at) => Math.max(...table.map((cells) => cells[at]!.length)))
  const lines = table.map((cells) =>
    cells
      .map((cell, at) =>
        at < groups.length ? cell.padEnd(widths[at]!) : cell.padStart(widths[at]!),
      )
      .join('  ')
      .trimEnd(),
  )
  return [...lines, '', ...notesOf(report)].join('\n')
}

function notesOf({ check, isComplete, late }: Report): string[] {
  return [
    'The last two columns are worked out and never booked: what own stake had to earn, and the margin less that.',
    'Amounts in TRX. `returned` went back for failed orders and never was revenue.',
    check.sentence,
    ...(isComplete ? [] : ['The newest movements are not counted yet; try again later.']),
    ...late.map(
      ({ movement, amount, ofDay, day }) =>
        `Late: movement ${movement} of ${ofDay} counts on ${day}, ${formatTrx(amount)} TRX.`,
    ),
  ]
}

function monthText({ month, margin, closedBy, closedAt, why }: Month): string {
  if (closedAt === null || margin === null) return `${month}  open`
  return `${month}  closed ${closedAt.toISOString()} by ${closedBy}, margin ${formatTrx(margin)} TRX: ${why}`
}
