import { isRefusal, type Refusal } from '@ergon/contract'
import { formatTrx, isUuid, parseTrx } from '../../kernel/index.ts'
import type { Operator } from '../operator.ts'
import { type Line, readLine } from '../options.ts'
import type { AdjustmentRow } from '../store.ts'
import { notUnderstood, printResponse } from './response.ts'

/** `npx ergon adjust …`: corrects a client's balance. */
export async function runAdjust(operator: Operator, args: string[]): Promise<number> {
  const line = readLine(args)
  const [verb, id = ''] = line.words
  const { adjustments } = operator
  const [by, why] = [line.option('by'), line.option('why')]
  if (verb === 'list') {
    const rows = await adjustments.list()
    line.say(rows, rows.map(textOf).join('\n'))
    return 0
  }
  if (by === '' || why.trim().length < 3) return notUnderstood('adjust')
  if (verb === 'request') return request(operator, line)
  if (!isUuid(id)) return notUnderstood('adjust')
  if (verb === 'approve') return decided(operator, line, adjustments.approve)
  if (verb === 'refuse') return decided(operator, line, adjustments.refuse)
  return notUnderstood('adjust')
}

async function request({ actions, adjustments }: Operator, line: Line): Promise<number> {
  const amount = parseTrx(line.option('trx'))
  const [account, who, why] = [line.option('account'), line.option('by'), line.option('why')]
  if (!isUuid(account) || amount === undefined) return notUnderstood('adjust')
  const deed = { who, what: 'adjust', subject: account, why }
  const want = { account, amount, reason: why, by: who }
  const result = await actions.perform(deed, async () => done(await adjustments.request(want)))
  return printResponse(result, (row) => line.say(row, textOf(row)))
}

async function decided(
  { actions }: Operator,
  line: Line,
  decide: (id: string, by: string) => Promise<AdjustmentRow | Refusal>,
): Promise<number> {
  const [verb = '', id = ''] = line.words
  const who = line.option('by')
  const deed = { who, what: `${verb}_adjustment`, subject: id, why: line.option('why') }
  const result = await actions.perform(deed, async () => done(await decide(id, who)))
  return printResponse(result, (row) => line.say(row, textOf(row)))
}

function done(row: AdjustmentRow | Refusal) {
  if (isRefusal(row)) return row
  const { id, account, amount, state } = row
  return { reply: row, change: { id, account, amount, state } }
}

function textOf(row: AdjustmentRow): string {
  const people = `${row.requestedBy}${row.decidedBy ? `, ${row.state} by ${row.decidedBy}` : ''}`
  const amount = formatTrx(row.amount)
  return `${row.id}  ${row.state.padEnd(9)}  ${amount} TRX  ${row.account}  ${people}: ${row.reason}`
}
