import { ApiTrouble } from './api.ts'
import { exactTrx, trxOf } from './money.ts'

/** Refusals whose own sentence is for people too. */
const SAID_BESIDE = new Set([
  'quote_invalid',
  'quote_limit',
  'batch_refused',
  'replay_running',
  'not_deliverable',
])

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

function faultMessages({ loc, msg }: Fault): string {
  const name = String(loc.at(-1) ?? '')
  return `${FIELDS[name] ?? name}: ${msg.charAt(0).toLowerCase()}${msg.slice(1)}.`
}
