import { refuse } from '@ergon/contract'
import { exactTrx, formatTrx } from '../../kernel/index.ts'
import {
  type Action,
  type ListedOperation,
  type StakeWish,
  type Staking,
  type StakingResponse,
  textToApprove,
} from '../../staking/index.ts'
import type { Operator } from '../operator.ts'
import { idIn, type Line, nameIn, reasonIn, trxIn, Unclear } from '../options.ts'
import { approvalIn, showText } from './approvalIn.ts'
import { EXIT, printResponse } from './response.ts'

type Rooms = { staking: Staking; operator: Operator }

const LISTED = 50
const NOTHING_TO_SIGN =
  'There is no operation with this id that needs approvals, or no signer has been started yet.'

/** As the command line has them. */
const ACTIONS: Record<string, Action> = {
  freeze: 'freeze',
  unfreeze: 'unfreeze',
  withdraw: 'withdraw',
  cancel: 'cancel_unfreeze',
  vote: 'vote',
  claim: 'claim',
}

/** The verbs of `npx ergon stakes`; undefined for another word. */
export function runStakeVerb(rooms: Rooms, line: Line): Promise<number> | undefined {
  const [verb = '', next = ''] = line.words
  if (verb === 'operations') return list(rooms.staking, line)
  if (verb === 'preview') return preview(rooms.staking, line, next)
  if (verb === 'text') return show(rooms.staking, line, idIn(next, "The operation's id"))
  if (verb === 'approve') return approve(rooms, line, idIn(next, "The operation's id"))
  if (verb === 'stop') return stop(rooms, line, idIn(next, "The operation's id"))
  return verb in ACTIONS ? request(rooms, line, wishIn(line, verb)) : undefined
}

function wishIn(line: Line, verb: string): StakeWish {
  const action = ACTIONS[verb]
  if (!action) throw new Unclear(`What is to be previewed is ${Object.keys(ACTIONS).join(', ')}.`)
  const hasAmount = action === 'freeze' || action === 'unfreeze'
  const resource = (line.option('resource') || 'energy').toUpperCase()
  if (resource !== 'ENERGY' && resource !== 'BANDWIDTH') {
    throw new Unclear('--resource is energy or bandwidth.')
  }
  const shares = line
    .option('for')
    .split(',')
    .flatMap((one) => one.trim() || [])
  return {
    stake: line.option('stake'),
    action,
    ...(hasAmount && { amount: trxIn(line), resource }),
    ...(action === 'vote' && { shares, isStanding: line.option('standing') !== '' }),
  }
}

async function preview(staking: Staking, line: Line, verb: string): Promise<number> {
  const plan = await staking.preview(wishIn(line, verb))
  if ('refused' in plan) {
    console.error(plan.refused)
    return EXIT.refused
  }
  line.say(plan, plan.effects.join('\n'))
  return EXIT.done
}

async function request(rooms: Rooms, line: Line, wish: StakeWish): Promise<number> {
  const [reason, by] = [reasonIn(line), nameIn(line)]
  const plan = await rooms.staking.preview(wish)
  if ('effects' in plan) for (const effect of plan.effects) console.error(effect)
  const deed = { who: by, what: `stake_${wish.action}`, subject: 'treasury', why: reason }
  return perform(rooms, line, deed, () => rooms.staking.request({ ...wish, reason, by }))
}

async function textOf(staking: Staking, id: string) {
  const [row, ground] = [await staking.find(id), await staking.ground()]
  if (!row?.needsApproval || !ground) return undefined
  return { text: textToApprove(row, ground), ends: ground.ends }
}

const show = async (staking: Staking, line: Line, id: string) =>
  showText(line, await textOf(staking, id), NOTHING_TO_SIGN)

async function approve(rooms: Rooms, line: Line, id: string): Promise<number> {
  const by = nameIn(line)
  const why = reasonIn(line, 'why', 'approved')
  const nothing = { nothing: NOTHING_TO_SIGN, command: 'stakes text' }
  const given = await approvalIn(line, { textOf: () => textOf(rooms.staking, id), ...nothing })
  if (typeof given === 'string') {
    console.error(given)
    return EXIT.refused
  }
  const deed = { who: by, what: 'approve_stake', subject: id, why }
  return perform(rooms, line, deed, () => rooms.staking.approve(id, by, given))
}

function stop(rooms: Rooms, line: Line, id: string): Promise<number> {
  const by = nameIn(line)
  const deed = { who: by, what: 'stop_stake', subject: id, why: reasonIn(line, 'why', 'stopped') }
  return perform(rooms, line, deed, () => rooms.staking.cancel(id, by))
}

async function perform(
  { operator }: Rooms,
  line: Line,
  deed: { who: string; what: string; subject: string; why: string },
  work: () => Promise<StakingResponse>,
): Promise<number> {
  const result = await operator.actions.perform(deed, async () => {
    const response = await work()
    if ('refused' in response) return refuse('validation_error', { message: response.refused })
    return { reply: response, change: { operation: response.id } }
  })
  return printResponse(result, (response) => line.say(response, response.id))
}

async function list(staking: Staking, line: Line): Promise<number> {
  const rows = await staking.list(LISTED)
  line.say(rows, rows.map(lineOf).join('\n') || 'There are no operations with stakes.')
  return EXIT.done
}

function lineOf(one: ListedOperation): string {
  const { action, amount, votes, approvals, needsApproval, trouble, stake } = one
  const what =
    amount !== null
      ? `${exactTrx(formatTrx(amount))} TRX of ${one.resource}`
      : votes.map(({ witness, count }) => `${count} for ${witness}`).join(', ')
  const people = needsApproval ? `, ${approvals.length} of 2 approvals` : ''
  const note = trouble ? ` (${trouble})` : ''
  return `${one.id}  ${one.shown.padEnd(10)}  ${action} ${what} ${stake}  ${one.requestedBy}${people}: ${one.reason}${note}`
}
