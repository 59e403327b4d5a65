import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Market, openMarket } from './testing/market.ts'
import { stretched } from './testing/stretched.ts'

// The packed SDK buys Energy and answers a webhook in other runtimes. `npm run prove -- --only runtimes` installs
// Bun and Deno into a temporary folder, which needs a public network; here the same program runs in Node alone.

const ROOT = join(import.meta.dirname, '..')
const INSTALLED = process.env.ERGON_RUNTIMES === 'install' ? ['bun', 'deno'] : []
const MINUTES = 240_000
const folder = mkdtempSync(join(tmpdir(), 'ergon-runtimes-'))
const bin = (name: string) => join(folder, 'node_modules/.bin', name)
const COMMANDS: Record<string, string[]> = {
  node: [process.execPath, 'program.mjs'],
  bun: [bin('bun'), 'program.mjs'],
  deno: [bin('deno'), 'run', '--allow-net', '--allow-env', 'program.mjs'],
}

let market: Market
beforeAll(async () => {
  market = await openMarket({ blockMs: 200 })
  const quiet = ['--silent', '--no-audit', '--no-fund']
  await run(['npm', 'pack', ...quiet, '--pack-destination', folder], join(ROOT, 'sdk'))
  writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}')
  const tarball = join(folder, readdirSync(folder).find((name) => name.endsWith('.tgz'))!)
  const offline = INSTALLED.length === 0 ? ['--offline'] : []
  await run(['npm', 'install', ...quiet, ...offline, tarball, ...INSTALLED])
}, MINUTES)
afterAll(async () => {
  await market?.close()
  rmSync(folder, { recursive: true, force: true })
})

function run([command, ...args]: string[], cwd = folder): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(command!, args, { cwd, timeout: stretched(120_000) }, (error, out, err) => {
      if (error) reject(new Error(`${error.message}\n${out}${err}`))
      else resolve(out)
    })
  })
}

/** A server of the runtime itself stands behind fetchWebhook; Node's has no Fetch, so it is called. */
const program = (baseUrl: string, apiKey: string, wallet: string) => `
import { Ergon, fetchWebhook, isRefused, signWebhook } from '@ergon/sdk'
const ergon = new Ergon({ baseUrl: '${baseUrl}', apiKey: '${apiKey}' })
const { order_id } = await ergon.buy({ receiver_address: '${wallet}', resource_amount: 65_000 })
const { status, total_price_sun } = await ergon.waitForOrder(order_id)
const refused = await ergon.order('nonsense').catch((error) => isRefused(error, 'order_not_found'))
const listed = await ergon.orders().take(1)
const got = []
const handler = fetchWebhook({ secret: 's', onEvent: ({ type }) => void got.push(type) })
const { headers, body } = await signWebhook({ secret: 's', event: { type: 'a', data: {} } })
const server = globalThis.Bun?.serve({ port: 0, hostname: '127.0.0.1', fetch: handler })
  ?? globalThis.Deno?.serve({ port: 0, hostname: '127.0.0.1', onListen() {} }, handler)
const port = server?.port ?? server?.addr?.port
const request = new Request('http://127.0.0.1:' + (port ?? 9), { method: 'POST', headers, body })
const answer = await (server ? fetch(request) : handler(request))
await (server?.stop?.() ?? server?.shutdown?.())
console.log(status, typeof total_price_sun, refused, listed.length, answer.status, got.join())
`

test.each(['node', ...INSTALLED])(
  '%s buys, waits, lists, is refused, and answers a webhook',
  async (name) => {
    const { api_key } = await market.fundedAccount('50')
    const wallet = market.receivers[Object.keys(COMMANDS).indexOf(name)]!
    writeFileSync(join(folder, 'program.mjs'), program(`${market.url}/v1`, api_key, wallet))
    expect(await run(COMMANDS[name]!)).toBe('COMPLETED bigint true 1 200 a\n')
  },
  MINUTES,
)
