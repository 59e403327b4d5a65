import { isRefusal, type Refusal } from '@ergon/contract'
import { formatTrx } from '../../kernel/index.ts'
import type { Operator } from '../operator.ts'
import { idIn, type Line, readLine, saidBy, trxIn } from '../options.ts'
import type { AdjustmentRow } from '../store.ts'
import { EXIT, notUnderstood, printResponse } from './response.ts'

/** `npx ergon adjust …`: corrects a client's balance. */
export async function runAdjust(operator: Operator, args: string[]): Promise<number> {
  const line = readLine(args)
  const [verb, id = ''] = line.words
  const { adjustments } = operator
  if (verb === 'list') {
    const rows = await adjustments.list()
    line.say(rows, rows.map(textOf).join('\n') || 'There are no adjustments.')
    return EXIT.done
  }
  if (verb === 'request') return request(operator, line)
  if (verb !== 'approve' && verb !== 'refuse') return notUnderstood('adjust')
  idIn(id, "The adjustment's id")
  return decided(operator, line, adjustments[verb])
}

async function request({ actions, adjustments }: Operator, line: Line): Promise<number> {
  const account = idIn(line.option('account'), '--account')
  const amount = trxIn(line)
  const { who, why } = saidBy(line)
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
  const { who, why } = saidBy(line)
  const deed = { who, what: `${verb}_adjustment`, subject: id, why }
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
