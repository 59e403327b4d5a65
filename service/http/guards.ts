import { isRefusal, type Refusal, refuse, refuseFor } from '@ergon/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Clock } from '../kernel/index.ts'
import { createAddressLimit, isLoopback } from './addressLimit.ts'
import { sendRefusal } from './answer.ts'
import type { Guard } from './mount.ts'
import type { RateLimit } from './rateLimit.ts'

const REFUSED_KEYS_PER_MINUTE = 30
const NOT_THERE =
  'We do not read the header Authorization. Send the key alone, without "Bearer", in the header X-API-Key.'
const PUBLIC_CALLS_PER_MINUTE = 120

type AccountOf = (key: string | undefined) => string | Refusal | Promise<string | Refusal>

/** 401, then 429. Refused keys are counted per client address, so that guessing is slow. */
export function keyGuard(deps: {
  clock: Clock
  accountOf: AccountOf
  rateLimit: RateLimit
  exemptLoopback: boolean
}): Guard {
  const { accountOf, rateLimit, exemptLoopback } = deps
  const refusedKeys = createAddressLimit(deps.clock, REFUSED_KEYS_PER_MINUTE)

  function enter(ip: string, reply: FastifyReply, account: string | Refusal) {
    if (isRefusal(account)) {
      const exempt = exemptLoopback && isLoopback(ip)
      const wait = exempt ? undefined : refusedKeys.count(ip)
      if (wait === undefined) refuseKey(reply, account)
      else refuseForNow(reply, wait)
      return undefined
    }
    // Also a request above the rate is one of this account: the logs name it.
    reply.request.account = account
    const wait = rateLimit.check(account)
    if (wait === undefined) return account
    if (wait instanceof Promise) return wait.then((seconds) => pass(reply, account, seconds))
    return pass(reply, account, wait)
  }

  const guard: Guard = (request, reply) => {
    // Read now: after a disconnect during the look-up the address is gone.
    const ip = request.ip ?? ''
    const account = accountOf(headerOf(request, 'x-api-key'))
    if (account instanceof Promise) return account.then((found) => enter(ip, reply, found))
    return enter(ip, reply, account)
  }
  return Object.assign(guard, { countMore: rateLimit.checkMore })
}

/** Clients that follow other APIs send a bearer token; they learn where the key goes. */
function refuseKey(reply: FastifyReply, refusal: Refusal) {
  reply.header('www-authenticate', 'ApiKey realm="Ergon", header="X-API-Key"')
  const { authorization, 'x-api-key': key } = reply.request.headers
  const isElsewhere = authorization !== undefined && key === undefined
  sendRefusal(reply, isElsewhere ? refuse(refusal.refused, { message: NOT_THERE }) : refusal)
}

function pass(reply: FastifyReply, account: string, wait: number | undefined) {
  if (wait === undefined) return account
  refuseForNow(reply, wait)
  return undefined
}

export function publicGuard(deps: { clock: Clock; exemptLoopback: boolean }): Guard {
  const calls = createAddressLimit(deps.clock, PUBLIC_CALLS_PER_MINUTE)
  return (request, reply) => {
    reply.header('x-server-time', deps.clock.now().toISOString())
    const ip = request.ip ?? ''
    if (deps.exemptLoopback && isLoopback(ip)) return ''
    const wait = calls.count(ip)
    if (wait === undefined) return ''
    refuseForNow(reply, wait)
    return undefined
  }
}

function refuseForNow(reply: FastifyReply, seconds: number) {
  sendRefusal(reply, refuseFor(seconds))
}

function headerOf(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name]
  return Array.isArray(value) ? value.join(',') : value
}

/** Only for callers on this machine: the sandbox moves money and time without a key. */
export const loopbackGuard: Guard = (request, reply) => {
  if (isLoopback(request.socket.remoteAddress ?? '')) return ''
  sendRefusal(reply, refuse('not_found_path'))
  return undefined
}
