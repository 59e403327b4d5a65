import { refuse } from '@ergon/contract'
import type { Deposits, Payouts } from '../../deposits/index.ts'
import { formatTrx, isUuid, parseTrx } from '../../kernel/index.ts'
import type { Operator } from '../operator.ts'
import { type Line, readLine } from '../options.ts'
import { notUnderstood, told } from './told.ts'

const LISTED = 50

type Rooms = { deposits: Deposits; operator: Operator }

/** `npx ergon payout …`: one operator asks, another one approves. */
export async function runPayout(rooms: Rooms, args: string[]): Promise<number> {
  const line = readLine(args)
  const [verb, id = ''] = line.words
  const { payouts } = rooms.deposits
  if (verb === 'list') return list(payouts, line)
  const by = line.option('by')
  if (verb === 'request') return request(rooms, line)
  if (verb !== 'approve' || !isUuid(id) || by === '') return notUnderstood('payout')
  const why = line.option('why') || 'approved'
  const deed = { who: by, what: 'approve_payout', subject: id, why }
  return perform(rooms, line, deed, () => payouts.approve(id, by))
}

async function request(rooms: Rooms, line: Line): Promise<number> {
  const account = line.option('account')
  const amount = parseTrx(line.option('trx'))
  const [to, reason, by] = [line.option('to'), line.option('reason'), line.option('by')]
  const isWhole = isUuid(account) && amount !== undefined && by !== '' && reason.trim().length >= 3
  if (!isWhole) return notUnderstood('payout')
  const deed = { who: by, what: 'payout', subject: account, why: reason }
  const want = { account, to, amount, reason, by }
  return perform(rooms, line, deed, () => rooms.deposits.payouts.request(want))
}

async function perform(
  { operator }: Rooms,
  line: Line,
  deed: { who: string; what: string; subject: string; why: string },
  work: () => ReturnType<Payouts['approve']>,
): Promise<number> {
  const result = await operator.actions.perform(deed, async () => {
    const said = await work()
    if ('refused' in said) return refuse('validation_error', { message: said.refused })
    return { reply: said, change: { payout: said.id } }
  })
  return told(result, (said) => line.say(said, said.id))
}

async function list(payouts: Payouts, line: Line): Promise<number> {
  const rows = await payouts.list(LISTED)
  const text = rows.map((one) => {
    const people = `${one.requestedBy}${one.approvedBy ? `, approved by ${one.approvedBy}` : ''}`
    const note = one.trouble ? ` (${one.trouble})` : ''
    return `${one.id}  ${one.state.padEnd(9)}  ${formatTrx(one.amount)} TRX to ${one.to}  ${people}: ${one.reason}${note}`
  })
  line.say(rows, text.join('\n'))
  return 0
}
