import { refuse } from '@ergon/contract'
import {
  DECISIONS,
  dayAfter,
  isDay,
  type StatementDecision,
  type Statements,
} from '../../books/index.ts'
import { type Clock, formatTrx } from '../../kernel/index.ts'
import type { Operator } from '../operator.ts'
import { idIn, type Line, readLine, saidBy, Unclear } from '../options.ts'
import { decideDifference, runStatementsNow } from '../statements.ts'
import { EXIT, notUnderstood, printResponse } from './response.ts'

type Rooms = { statements: Statements; operator: Operator }
type Difference = Awaited<ReturnType<Statements['differences']>>[number]

/** What each kind is, in words; the console has the same. */
const KINDS: Record<Difference['kind'], string> = {
  never_asked: 'charged, and we never asked for it',
  other_amount: 'charged another amount',
  not_charged: 'we booked it, and they did not charge it',
  charged_twice: 'charged more than once',
  refunded: 'refunded by them, and not in our books',
  balance: 'the balance fell by another amount',
}
const WAYS = { orders: 'by orders', balance: 'by balance', none: 'cannot be compared' } as const
const DAYS = 7
const DAY_MS = 86_400_000

/** `npx ergon statements …`: what marketplaces say they charged. Exit code 1 when something waits for a person. */
export async function runStatements(
  { statements, operator }: Rooms,
  args: string[],
  clock: Clock,
): Promise<number> {
  const line = readLine(args)
  const [verb = 'list', subject = ''] = line.words
  const rooms = { statements, actions: operator.actions }
  if (verb === 'list') return list(statements, line, clock)
  if (verb === 'show') return show(statements, line, idIn(subject, 'ID'))
  if (verb === 'run') {
    const asked = await runStatementsNow(rooms, { provider: subject || undefined, ...saidBy(line) })
    return printResponse(asked, (providers) =>
      line.say(providers, `A worker compares ${providers.join(', ')} within a minute.`),
    )
  }
  if (verb !== 'decide') return notUnderstood('statements')
  const id = idIn(subject, 'ID')
  const as = decisionIn(line)
  const decided = await decideDifference(rooms, { id, as, ...saidBy(line) })
  return printResponse(decided, (done) =>
    line.say({ id, decision: as, booked: done.booked }, done.sentence),
  )
}

async function list(statements: Statements, line: Line, clock: Clock): Promise<number> {
  const provider = line.option('provider') || undefined
  const { from, to } = rangeIn(line, clock)
  const [sources, days, differences] = await Promise.all([
    statements.sources(),
    statements.days({ from, to: dayAfter(to) }),
    statements.differences({ waiting: line.option('all') === '', provider }),
  ])
  const isAsked = (one: { provider: string }) => !provider || one.provider === provider
  const shown = { sources: sources.filter(isAsked), days: days.filter(isAsked), differences }
  const parts = [
    shown.sources.map(sourceText),
    shown.days.map(
      ({ day, provider: name, theirs, ours, matched }) =>
        `${day}  ${name}  theirs ${formatTrx(theirs)}, ours ${formatTrx(ours)} TRX, ${matched} orders`,
    ),
    differences.length > 0 ? differences.map(differenceText) : ['Nothing waits for a decision.'],
  ]
  const none = 'No marketplace has been compared yet.'
  const text = parts.filter((lines) => lines.length > 0).map((lines) => lines.join('\n'))
  line.say(shown, shown.sources.length === 0 ? none : text.join('\n\n'))
  return differences.some(({ state }) => state === 'open') ? EXIT.refused : EXIT.done
}

/** One difference, and what each decision would do. */
async function show(statements: Statements, line: Line, id: string): Promise<number> {
  const effects = await Promise.all(
    DECISIONS.map(async (as) => ({ as, effect: await statements.effectOf(id, as) })),
  )
  const known = effects.flatMap(({ effect }) => (typeof effect === 'string' ? [] : effect.row))
  const [first] = effects
  if (known.length === 0) {
    const message = first!.effect as string
    return printResponse(refuse('validation_error', { message }), () => {})
  }
  const sentences = effects.map(({ as, effect }) => ({
    decision: as,
    sentence: typeof effect === 'string' ? effect : effect.sentence,
  }))
  const text = sentences.map(({ decision, sentence }) => `  ${decision}: ${sentence}`)
  line.say({ ...known[0]!, decisions: sentences }, [differenceText(known[0]!), ...text].join('\n'))
  return EXIT.done
}

function rangeIn(line: Line, clock: Clock): { from: string; to: string } {
  const day = (ms: number) => new Date(ms).toISOString().slice(0, 10)
  const now = clock.now().getTime()
  const from = line.option('from') || day(now - DAYS * DAY_MS)
  const to = line.option('to') || day(now)
  if (!isDay(from) || !isDay(to)) throw new Unclear('--from and --to are days: 2026-11-18.')
  if (from > to) throw new Unclear('The first day comes after the last one.')
  return { from, to }
}

function decisionIn(line: Line): StatementDecision {
  const as = DECISIONS.find((word) => word === line.option('as'))
  if (!as) throw new Unclear('--as needs accept, claim or dismiss.')
  return as
}

type Source = Awaited<ReturnType<Statements['sources']>>[number]

function sourceText({ provider, way, comparedAt, trouble, open, claimed }: Source): string {
  const at = comparedAt ? `, compared ${comparedAt.toISOString()}` : ', not compared yet'
  const waits = `${open} open, ${claimed} claimed`
  const note = trouble ? `\n  last try: ${trouble}` : ''
  return `${provider}  ${WAYS[way]}${way === 'none' ? '' : `${at}, ${waits}`}${note}`
}

function differenceText(one: Difference): string {
  const { theirs, ours, orderId, attemptId } = one
  const names = [orderId && `order ${orderId}`, attemptId && `attempt ${attemptId}`]
  const whose = names.filter(Boolean).join(', ')
  const figures = `theirs ${formatTrx(theirs)}, ours ${formatTrx(ours)} TRX`
  const decided = one.why ? `\n  ${one.state} by ${one.decidedBy}: ${one.why}` : ''
  return (
    `${one.id}  ${one.provider}  ${one.day}  ${one.state}: ${KINDS[one.kind]}` +
    `\n  ${figures}${whose && `; ${whose}`}; first seen ${one.firstSeenAt.toISOString()}` +
    `${decided}${one.note ? `\n  ${one.note}` : ''}`
  )
}
