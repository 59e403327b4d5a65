import { isRefusal, type Refusal, refuse } from '@ergon/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Clock } from '../kernel/index.ts'
import { createAddressLimit, isLoopback } from './addressLimit.ts'
import { sendRefusal } from './answer.ts'
import type { Guard } from './mount.ts'

const CALLS_PER_MINUTE = 1_000
const SIGN_INS_PER_MINUTE = 20

type Visitor = { cookie: string | undefined; userAgent: string | undefined; isIdle: boolean }
type AccountOf = (visitor: Visitor) => Promise<{ account: string; cookies: string[] } | Refusal>

/**
 * Whether a change comes from a foreign page. A browser sends the cookie for any page, so every change
 * needs our Origin, which browsers set themselves; a request without one is refused too.
 */
export function isForeign(request: FastifyRequest, origins: readonly string[]): boolean {
  if (request.method === 'GET' || request.method === 'HEAD') return false
  const { origin } = request.headers
  return origin === undefined || !origins.includes(origin)
}

/** Checks Origin, session and rate. API keys are ignored on this mount. */
export function sessionGuard(deps: {
  clock: Clock
  accountOf: AccountOf
  origins(): readonly string[]
}): Guard {
  const calls = createAddressLimit(deps.clock, CALLS_PER_MINUTE)
  const guard: Guard = async (request, reply) => {
    if (isForeign(request, deps.origins())) return refused(reply, refuse('foreign_origin'))
    const { cookie, 'user-agent': userAgent } = request.headers
    // Set by a page that polls without user activity.
    const isIdle = request.headers['x-idle'] === '1'
    const found = await deps.accountOf({ cookie, userAgent, isIdle })
    if (isRefusal(found)) return refused(reply, found)
    // A renewed session needs a renewed cookie.
    if (found.cookies.length > 0) reply.header('set-cookie', found.cookies)
    const wait = calls.count(found.account)
    if (wait !== undefined) return refused(later(reply, wait), refuse('rate_limited'))
    reply.header('cache-control', 'no-store')
    // The sandbox's clock can be moved, so the pages go by the time of each answer.
    reply.header('x-server-time', deps.clock.now().toISOString())
    return found.account
  }
  return Object.assign(guard, { countMore: calls.countMore })
}

/** For sign-in routes: no session, and a rate limit against guessing, which may be another where nothing is guessed. */
export function signInGuard(deps: {
  clock: Clock
  origins(): readonly string[]
  exemptLoopback: boolean
  perMinute?: number
}): Guard {
  const tries = createAddressLimit(deps.clock, deps.perMinute ?? SIGN_INS_PER_MINUTE)
  return (request, reply) => {
    if (isForeign(request, deps.origins())) return refused(reply, refuse('foreign_origin'))
    reply.header('cache-control', 'no-store')
    const ip = request.ip ?? ''
    if (deps.exemptLoopback && isLoopback(ip)) return ''
    const wait = tries.count(ip)
    return wait === undefined ? '' : refused(later(reply, wait), refuse('rate_limited'))
  }
}

function later(reply: FastifyReply, seconds: number): FastifyReply {
  return reply.header('retry-after', String(seconds))
}

function refused(reply: FastifyReply, refusal: Refusal): undefined {
  sendRefusal(reply, refusal)
  return undefined
}
