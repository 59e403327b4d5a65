import { isRefusal, type Refusal, Verbatim } from '@ergon/contract'
import type { Entered, Visitor } from './sessions.ts'

// Requests and answers of signing in, at workspace and console.

/** Rate limit for wrong passwords. */
export type Guesses = {
  /** Seconds to wait, or undefined. */
  count(login: string, address: string): number | undefined
  forget(login: string, address: string): void
}

export const visitorOf = (headers: { cookie?: string; 'user-agent'?: string }): Visitor => ({
  cookie: headers.cookie,
  userAgent: headers['user-agent'],
})

export function withCookies(body: unknown, cookies: string[]): Verbatim {
  return new Verbatim(JSON.stringify(body), cookies.length > 0 ? { 'set-cookie': cookies } : {})
}

export function enteredReply(entered: Entered | Refusal): Verbatim | Refusal {
  if (isRefusal(entered)) return entered
  const { secondStep, cookies } = entered
  return withCookies({ totp_required: secondStep.length > 0, second_step: secondStep }, cookies)
}
