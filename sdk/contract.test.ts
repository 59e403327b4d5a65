import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { operatorRoutes, refusals, routes, workspaceRoutes } from '@ergon/contract'
import { expect, test } from 'vitest'
import { SENTENCES } from './errors.ts'
import { ERROR_CODES, Ergon } from './index.ts'

type Entry = { shape: string; text?: string; wire?: string; extra?: readonly string[] }
const clients = new Set<string>(routes.flatMap((route) => route.refusals))
/** Routes for browsers only: they use sessions instead of keys. */
const browsers = new Set<string>([
  'session_required',
  'foreign_origin',
  'role_required',
  ...workspaceRoutes.flatMap((route) => route.refusals),
  ...operatorRoutes.flatMap((route) => route.refusals),
])
const entries = (Object.entries(refusals) as [string, Entry][]).filter(
  ([code]) => clients.has(code) || !browsers.has(code),
)

/** A service that records the requests; its answers do not matter. */
function listening() {
  const asked = new Set<string>()
  const answer = async (url: unknown, { method = 'GET' }: RequestInit = {}) => {
    asked.add(`${method} ${new URL(String(url)).pathname.replace('/v1', '')}`)
    return new Response('{"items":[],"orders":[],"deposits":[],"transactions":[],"webhooks":[]}')
  }
  const fake = answer as typeof fetch
  return { asked, ergon: new Ergon({ baseUrl: 'http://x/v1', apiKey: 'k', fetch: fake }) }
}

test('every endpoint of the contract has a method', async () => {
  const { asked, ergon } = listening()
  const call = (target: object) =>
    Object.getOwnPropertyNames(Object.getPrototypeOf(target))
      .filter((name) => name !== 'constructor' && !name.startsWith('waitFor'))
      .map(async (name) => {
        const method = Reflect.get(target, name) as (...args: unknown[]) => unknown
        // Any arguments for ids and addresses; bodies are not checked here.
        const given =
          name === 'buyBatch' ? [{ purchases: [] }] : Array(method.length || 1).fill('{x}')
        const made = method.call(target, ...given, '{x}')
        const isList = typeof made === 'object' && made !== null && 'take' in made
        const asking = isList ? (made as { take(n: number): Promise<unknown> }).take(1) : made
        await Promise.resolve(asking).catch(() => {})
      })
  const groups = Object.values(ergon).filter((value) => typeof value === 'object')
  await Promise.all([ergon, ...groups].flatMap(call))
  const found = new Set([...asked].map((one) => decodeURIComponent(one).replaceAll('{x}', '*')))
  const wanted = routes
    // Streams are read by pages, with the browser's EventSource.
    .filter(({ auth, reply }) => auth !== 'session' && !reply.stream)
    .map(({ method, path }) => `${method} ${path.replaceAll(/\{\w+\}/g, '*')}`)
  expect(wanted.filter((one) => !found.has(one))).toEqual([])
})

test('every code of the contract is a code of the SDK, and the other way round', () => {
  const codes = entries.map(([code, { wire }]) => wire ?? code)
  expect([...ERROR_CODES].sort()).toEqual([...new Set(codes)].sort())
})

test('every sentence of the contract is understood', () => {
  const sentences = entries.flatMap(([code, { text }]) => (text ? [[text, code]] : []))
  expect(SENTENCES).toEqual(Object.fromEntries(sentences))
})

test('ErrorFields names what each code carries; what not all its refusals carry is optional', () => {
  const source = readFileSync(join(import.meta.dirname, 'errors.ts'), 'utf8')
  for (const [code, group] of Map.groupBy(entries, ([name, { wire }]) => wire ?? name)) {
    const carried = group.map(([, { extra = [] }]) => extra.filter((name) => name !== 'message'))
    const fields = [...new Set(carried.flat())].map((name) =>
      carried.every((names) => names.includes(name)) ? name : `${name}?`,
    )
    const line = new RegExp(`^  ${code}: \\{ (.+) \\}$`, 'm').exec(source)?.[1] ?? ''
    const named = line === '' ? [] : line.split('; ').map((field) => field.split(':')[0])
    expect([code, named]).toEqual([code, fields])
  }
})
