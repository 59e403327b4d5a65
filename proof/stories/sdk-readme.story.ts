// Proves: orders, account, autoenergy, agent, webhooks.
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Ergon } from '@ergon/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { blocksIn } from '../testing/documented.ts'
import { type Market, openMarket } from '../testing/market.ts'
import { stretched } from '../testing/stretched.ts'

// The examples of sdk/README.md are one program: it has the types that it says, and runs against a sandbox.

const ROOT = join(import.meta.dirname, '../..')
const readme = readFileSync(join(ROOT, 'sdk/README.md'), 'utf8')
const folder = mkdtempSync(join(tmpdir(), 'ergon-sdk-readme-'))
let market: Market
beforeAll(async () => {
  market = await openMarket({ blockMs: 200 })
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
})
afterAll(async () => {
  await market?.close()
  rmSync(folder, { recursive: true, force: true })
})

type Ran = { code: number; out: string }

function run(command: string, args: string[]): Promise<Ran> {
  const options = { cwd: folder, timeout: stretched(120_000) }
  return new Promise((resolve) => {
    execFile(command, args, options, (error, out, err) =>
      resolve({ code: error ? Number(error.code ?? 1) : 0, out: `${out}${err}` }),
    )
  })
}

/** The values of the first block, which a reader has to fill in. */
async function filledIn(program: string): Promise<string> {
  const { api_key, deposit_address } = await market.fundedAccount('500')
  const [, wallet, shop, from] = market.receivers as [string, string, string, string]
  const body = { from, to: deposit_address, amount_sun: 2_000_000 }
  const { txid } = (await market.call('POST', '/sandbox/chain/transfer', { body })).body
  const sink = (await market.call('POST', '/sandbox/webhook-sink')).body
  const values = { wallet, shop, hookUrl: sink.url, depositTxid: txid }
  const named = Object.entries(values).reduce(
    (text, [name, value]) => text.replace(new RegExp(`(const ${name} = )'.*'`), `$1'${value}'`),
    program,
  )
  return named
    .replaceAll('http://127.0.0.1:8080/v1', `${market.url}/v1`)
    .replace("'erg_…'", `'${api_key}'`)
}

test('its examples have the types that they say, and run', async () => {
  const blocks = blocksIn(readme).filter(({ kind }) => kind === 'ts')
  const program = await filledIn(blocks.map(({ body }) => body).join('\n'))
  writeFileSync(join(folder, 'readme.ts'), program)
  const config = {
    extends: join(ROOT, 'tsconfig.json'),
    compilerOptions: { typeRoots: [join(ROOT, 'node_modules/@types')], lib: ['esnext', 'dom'] },
    include: ['readme.ts'],
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
  const [checked, ran] = await Promise.all([
    run(join(ROOT, 'node_modules/.bin/tsc'), ['-p', '.']),
    run(process.execPath, ['readme.ts']),
  ])
  expect(checked.out).toBe('')
  expect([ran.code, ran.out]).toEqual([0, expect.stringContaining('fetchWebhook 200\n')])
  expect(ran.out).toContain('buy COMPLETED')
})

test('every method has an example', () => {
  const ergon = new Ergon({ baseUrl: 'http://127.0.0.1/v1' })
  const groups = Object.entries(ergon).filter(([, value]) => typeof value === 'object')
  const methods = [['ergon', ergon] as const, ...groups].flatMap(([name, api]) =>
    Object.getOwnPropertyNames(Object.getPrototypeOf(api))
      .filter((method) => method !== 'constructor')
      .map((method) => `${name}.${method}(`),
  )
  expect(methods.length).toBeGreaterThan(30)
  expect(methods.filter((method) => !readme.includes(method))).toEqual([])
})
