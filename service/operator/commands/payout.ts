import { refuse } from '@ergon/contract'
import { approvalText } from '@ergon/contract/approval.ts'
import { type Deposits, factsOf, type Payouts } from '../../deposits/index.ts'
import { formatTrx } from '../../kernel/index.ts'
import type { Operator } from '../operator.ts'
import { idIn, type Line, nameIn, readLine, reasonIn, trxIn } from '../options.ts'
import { approvalIn, showText } from './approvalIn.ts'
import { EXIT, notUnderstood, printResponse } from './response.ts'

const LISTED = 50
const NOTHING_TO_SIGN = 'There is no payout with this id, or no signer has been started yet.'

type Rooms = { deposits: Deposits; operator: Operator }

/** `npx ergon payout …`: one operator requests, another approves, each with their own key. */
export async function runPayout(rooms: Rooms, args: string[]): Promise<number> {
  const line = readLine(args)
  const [verb, id = ''] = line.words
  const { payouts } = rooms.deposits
  if (verb === 'list') return list(payouts, line)
  if (verb === 'request') return request(rooms, line)
  if (verb !== 'text' && verb !== 'cancel' && verb !== 'approve') return notUnderstood('payout')
  idIn(id, "The payout's id")
  if (verb === 'text') return showText(line, await textOf(payouts, id), NOTHING_TO_SIGN)
  const by = nameIn(line)
  if (verb === 'approve')
    return approve(rooms, line, { id, by, why: reasonIn(line, 'why', 'approved') })
  const why = reasonIn(line, 'why', 'cancelled')
  const deed = { who: by, what: 'cancel_payout', subject: id, why }
  return perform(rooms, line, deed, () => payouts.cancel(id, by))
}

async function approve(
  rooms: Rooms,
  line: Line,
  { id, by, why }: { id: string; by: string; why: string },
): Promise<number> {
  const { payouts } = rooms.deposits
  const nothing = { nothing: NOTHING_TO_SIGN, command: 'payout text' }
  const given = await approvalIn(line, { textOf: () => textOf(payouts, id), ...nothing })
  if (typeof given === 'string') {
    console.error(given)
    return EXIT.refused
  }
  const deed = { who: by, what: 'approve_payout', subject: id, why }
  return perform(rooms, line, deed, () => payouts.approve(id, by, given))
}

async function textOf(payouts: Payouts, id: string) {
  const payout = await payouts.find(id)
  const ground = await payouts.ground()
  if (!payout || !ground) return undefined
  return { text: approvalText({ ...factsOf(payout), ...ground }), ends: ground.ends }
}

async function request(rooms: Rooms, line: Line): Promise<number> {
  const account = idIn(line.option('account'), '--account')
  const amount = trxIn(line)
  const [to, reason, by] = [line.option('to'), reasonIn(line, 'reason'), nameIn(line)]
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
    const response = await work()
    if ('refused' in response) return refuse('validation_error', { message: response.refused })
    return { reply: response, change: { payout: response.id } }
  })
  return printResponse(result, (response) => line.say(response, response.id))
}

async function list(payouts: Payouts, line: Line): Promise<number> {
  const rows = await payouts.list(LISTED)
  const text = rows.map((one) => {
    const people = `${one.requestedBy}${one.approvedBy ? `, approved by ${one.approvedBy}` : ''}`
    const note = one.trouble ? ` (${one.trouble})` : ''
    return `${one.id}  ${one.state.padEnd(10)}  ${formatTrx(one.amount)} TRX to ${one.to}  ${people}: ${one.reason}${note}`
  })
  line.say(rows, text.join('\n') || 'There are no payouts.')
  return EXIT.done
}
