import { ApiTrouble } from './api.ts'
import { exactTrx, trxOf } from './money.ts'

/** Refusals whose own sentence is for people too. */
const SAID_BESIDE = new Set(['quote_invalid', 'quote_limit'])

/** Refusals whose own sentence is for programs: it names keys and paths. */
const IN_WORDS: Record<string, string> = {
  batch_refused: 'Not bought, because another one was refused.',
  replay_running: 'They are being sent again already. Wait until that has ended.',
  not_deliverable:
    'It cannot be delivered now. In its first minute a payment is not final yet: try again then. After 30 days it cannot be sold any more.',
}

type Fault = { loc: (string | number)[]; msg: string }

/** What went wrong, what it means for the money, and what to do. */
export function messageOf(error: unknown): string {
  if (!(error instanceof ApiTrouble)) {
    return 'The service could not be reached. Nothing was charged twice: trying again is safe.'
  }
  const { status, code, detail, sentence } = error
  const { message } = (detail ?? {}) as { message?: string }
  if (message) return message
  if (sentence && SAID_BESIDE.has(code)) return sentence
  if (code in IN_WORDS) return IN_WORDS[code]!
  if (code === 'insufficient_balance') return shortOf(detail as Record<string, number>)
  if (Array.isArray(detail)) return (detail as Fault[]).map(faultMessages).join(' ')
  if (status === 401) return 'Your session has ended. Sign in again; nothing was lost.'
  if (status === 429) return 'Too many requests. Wait a minute, then try again.'
  if (status === 409) return 'This is already being done. Wait a moment and look again.'
  if (status >= 500) return 'The service has a problem. Nothing was charged. Try again in a minute.'
  return typeof detail === 'string'
    ? `${detail}.`
    : 'The service refused this. Check what you entered.'
}

function shortOf(detail: Record<string, number>): string {
  const has = BigInt(detail.current_balance ?? 0)
  const needs = BigInt(detail.required_amount ?? 0)
  return `Your balance is ${exactTrx(trxOf(needs - has))} TRX short. Nothing was charged. Top up, or pay this order by a transfer.`
}

const FIELDS: Record<string, string> = {
  resource_amount: 'Energy',
  receiver_address: 'Receiver',
  email: 'E-mail',
  password: 'Password',
  new_password: 'New password',
  code: 'Code',
}

/** Fields of which a form cannot know what is wrong: what is right. */
const RIGHT: Record<string, string> = {
  daily_budget_trx: 'The budget a day is an amount in TRX above 0, such as 4.4.',
  monthly_budget_trx: 'The budget a month is an amount in TRX above 0, such as 100.',
}

function faultMessages({ loc, msg }: Fault): string {
  const name = String(loc.at(-1) ?? '')
  if (name in RIGHT) return RIGHT[name]!
  return `${FIELDS[name] ?? name}: ${msg.charAt(0).toLowerCase()}${msg.slice(1)}.`
}
