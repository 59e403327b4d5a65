import { formatTrx, sun } from '../../kernel/index.ts'
import type { FollowRule, FollowTerms } from '../../pricing/index.ts'
import { beginRule, endRule } from '../followed.ts'
import type { Operator, OperatorRooms } from '../operator.ts'
import { type Line, readLine, saidBy, Unclear } from '../options.ts'
import type { Replay } from '../replay.ts'
import type { Half, Trial } from '../trial.ts'
import { EXIT, notUnderstood, printResponse } from './response.ts'

type Rooms = OperatorRooms & { operator: Operator }

const UP_TO = '200000'
const trx = (amount: bigint) => `${formatTrx(sun(amount))} TRX`

/** `npx ergon prices …`: prices that follow wholesale. */
export async function runFollowed(rooms: Rooms, args: string[]): Promise<number> {
  const line = readLine(args)
  const { pricing, operator } = rooms
  await Promise.all([
    pricing.refresh(),
    rooms.clients.refresh(),
    rooms.providers.readLoop.runOnce(),
  ])
  const [verb] = line.words
  if (verb === undefined) return show(rooms, line)
  if (verb === 'replay') {
    const replay = await operator.replay(termsIn(line))
    line.say(replay, replayText(replay))
    return EXIT.done
  }
  if (verb === 'follow') {
    const terms = termsIn(line)
    const days = line.option('days') === '' ? undefined : Number(numberIn(line, 'days', '', 60n))
    const rule = await beginRule(rooms, saidBy(line), terms, days)
    return printResponse(rule, (begun) => line.say(begun, ruleText(begun)))
  }
  if (verb === 'end') {
    const which = { group: line.option('group'), experiment: line.option('experiment') !== '' }
    const ended = await endRule({ pricing, operator }, saidBy(line), which)
    return printResponse(ended, (done) => line.say(done, 'It ends in five seconds.'))
  }
  return notUnderstood('prices')
}

async function show({ pricing, operator }: Rooms, line: Line): Promise<number> {
  const trials: Trial[] = []
  for (const rule of await pricing.experiments()) trials.push(await operator.trial(rule))
  const rules = pricing.followed().filter(({ rule }) => !rule.isExperiment)
  const wholesale = pricing.wholesale()
  const rows = [
    `Price list: ${pricing.unitPrice()} SUN. Wholesale: ${wholesale === undefined ? 'not to be had now' : `${wholesale} SUN`}.`,
    ...rules.map(({ rule, price }) => `${ruleText(rule)} Now ${price?.unit ?? 'none yet'}.`),
    ...(rules.length === 0 ? ['No price follows wholesale: everybody pays the schedule.'] : []),
    ...trials.flatMap(trialText),
  ]
  line.say({ rules, wholesale: wholesale ?? null, experiments: trials }, rows.join('\n'))
  return EXIT.done
}

function termsIn(line: Line): FollowTerms {
  const group = line.option('group').trim()
  if (group.length > 40) throw new Unclear('--group has at most 40 characters.')
  return {
    group,
    margin: numberIn(line, 'margin', '', 10_000n, 0n),
    changeMax: numberIn(line, 'change', '', 10_000n),
    amountMax: numberIn(line, 'up-to', UP_TO, 10n ** 15n),
  }
}

function numberIn(line: Line, name: string, otherwise: string, most: bigint, least = 1n): bigint {
  const text = line.option(name) || otherwise
  const value = /^\d{1,16}$/.test(text) ? BigInt(text) : undefined
  if (value !== undefined && value >= least && value <= most) return value
  throw new Unclear(`--${name} needs a whole number from ${least} to ${most}.`)
}

function ruleText({ group, margin, changeMax, amountMax, isExperiment, endsAt }: FollowRule) {
  const who = `${isExperiment ? 'Half of ' : ''}${group || 'everybody'}`
  const until = endsAt ? `, until ${endsAt.toISOString()}` : ''
  return `${who}: wholesale + ${margin} SUN, at most ${changeMax} SUN an hour, up to ${amountMax} Energy${until}.`
}

function replayText({ orders, energy, was, would, unknown }: Replay): string {
  const rows = [
    `Last seven days: ${orders} orders, ${energy} Energy, brought ${trx(was.revenue)}, margin ${trx(was.revenue - was.cost)}.`,
    `By this rule:    ${would.orders} orders, ${would.energy} Energy, would have brought ${trx(would.revenue)}, margin ${trx(would.revenue - would.cost)}.`,
  ]
  if (unknown > 0) rows.push(`${unknown} orders are of a time without a record of wholesale.`)
  return rows.join('\n')
}

function trialText({ rule, tried, others, difference, unknown }: Trial): string[] {
  const half = (name: string, { accounts, orders, revenue, margin }: Half) =>
    `  ${name}: ${accounts} accounts, ${orders} orders, revenue ${trx(revenue)}, margin ${trx(margin)}`
  return [
    `Experiment. ${ruleText(rule)}`,
    half('by the rule', tried),
    half('the others', others),
    difference === null
      ? '  Too few accounts to compare.'
      : `  Margin per account differs by ${trx(difference.mean)}; 95 % sure: from ${trx(difference.low)} to ${trx(difference.high)}.`,
    ...(unknown > 0 ? [`  ${unknown} orders are of a time without a record of wholesale.`] : []),
  ]
}
