// Proves: http.
import { type Route, routes, sandboxRoutes } from '@ergon/contract'
import { expect, test } from 'vitest'
import { createLog } from '../../service/kernel/index.ts'
import { openTestApp, type TestApp } from '../testing/app.ts'
import { type RawAnswer, sendRaw } from '../testing/raw.ts'
import { seeded } from '../testing/seeded.ts'
import { stretched } from '../testing/stretched.ts'
import { type HostileRequest, hostileRequest } from './hostile.ts'

const REQUESTS = 6_000
const AT_ONCE = 24
const ACCOUNTS = 12
const SEED = Number(process.env.SEED ?? 22)
const STACK = /\n\s+at |\.[cm]?[jt]s:\d+|node:internal|node_modules|postgres|select .* from /i

const mounts = [
  ...routes.map((route) => ({ prefix: '/v1', route })),
  ...sandboxRoutes.map((route) => ({ prefix: '/sandbox', route })),
]

test(
  `${REQUESTS} malformed requests over every route: no 5xx, no stack trace, no hung connection`,
  async () => {
    let logged = ''
    const write = (line: string) => {
      logged += line
    }
    const app = await openTestApp({ log: createLog('error', { write }) })
    const keys = await Promise.all(Array.from({ length: ACCOUNTS }, () => app.newAccount()))
    const chance = seeded(SEED)
    const requests = Array.from({ length: REQUESTS }, (_, i) => {
      const { prefix, route } = mounts[i % mounts.length]!
      return hostileRequest(chance, prefix, route, keys[i % ACCOUNTS]!.api_key)
    })
    const statuses = new Set<number>()
    const troubles = await attack(app, requests, statuses)
    expect(troubles.join('\n'), `seed ${SEED}; run again with SEED=${SEED}`).toBe('')
    // The requests reached every check: the path, the key and the fields.
    for (const met of [200, 400, 401, 404, 405, 413, 422]) expect(statuses).toContain(met)
    expect(logged, `seed ${SEED}`).not.toContain('request_failed')

    const alive = await app.call('GET', '/v1/account', { key: keys[0]!.api_key })
    expect([200, 429]).toContain(alive.status)
    expect((await app.call('GET', '/healthz')).status).toBe(200)
    await app.close()
  },
  stretched(180_000),
)

/** Sends all of them, a few at a time, and returns what was wrong with the answers. */
async function attack(
  app: TestApp,
  requests: HostileRequest[],
  statuses: Set<number>,
): Promise<string[]> {
  const troubles: string[] = []
  let next = 0
  const worker = async () => {
    while (next < requests.length && troubles.length < 20) {
      const index = next++
      const request = requests[index]!
      const { bytes, abandoned } = request
      const answer = await sendRaw(app.url, bytes, { abandoned, withinMs: 20_000 })
      statuses.add(answer.status)
      const trouble = troubleIn(request, answer)
      if (trouble)
        troubles.push(`#${index} ${trouble}\n  ${shown(bytes)}\n  → ${shown(answer.body)}`)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  return troubles
}

function shown(text: Buffer | string): string {
  const plain = typeof text === 'string' ? text : text.toString('latin1')
  return JSON.stringify(plain.slice(0, 600))
}

function troubleIn({ route, method, abandoned }: HostileRequest, answer: RawAnswer): string {
  const { status, body, hung } = answer
  if (hung) return `${method} ${route.name} hung`
  if (status === 0) return abandoned ? '' : `${method} ${route.name} was not answered`
  if (status >= 500 && !isDocumented(route, answer)) return `${method} ${route.name} is ${status}`
  if (STACK.test(body)) return `${method} ${route.name} tells about our inside`
  if (status >= 400 && body !== '' && !hasDetail(body)) return `${route.name} has another shape`
  return ''
}

/** A documented 5xx: "cannot be sold now" is the only one that a valid request may get. */
function isDocumented(route: Route, { status, body }: RawAnswer): boolean {
  const unavailable = status === 503 && body.startsWith('{"detail":{"error":"service_unavailable"')
  return unavailable && route.refusals.includes('service_unavailable')
}

function hasDetail(body: string): boolean {
  try {
    const { detail } = JSON.parse(body)
    if (typeof detail === 'string') return detail !== ''
    if (!Array.isArray(detail)) return typeof (detail.error ?? detail.code) === 'string'
    return detail.length > 0 && detail.every((fault) => isFault(fault))
  } catch {
    return false
  }
}

function isFault(fault: { loc: unknown[]; msg: unknown; type: unknown }): boolean {
  const place = ['body', 'query', 'path', 'header'].includes(String(fault.loc[0]))
  return place && typeof fault.msg === 'string' && /^[a-z_]+$/.test(String(fault.type))
}
