// Proves: orders, account.
import { execFile, execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Market, openMarket } from '../testing/market.ts'

// The package @ergon/cli as a client has it: packed by plain `npm pack`, installed into an empty folder, far from
// the repository, and run there by Node 20 and by Node 24.

const ROOT = join(import.meta.dirname, '../..')
const PATH = process.env.PATH!.split(':').filter((place) => !place.includes('node_modules'))
const folder = mkdtempSync(join(tmpdir(), 'ergon-installed-'))

let market: Market
beforeAll(async () => {
  market = await openMarket({ blockMs: 200 })
  npm(join(ROOT, 'cli'), 'pack', '--pack-destination', folder)
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz'))!
  npm(folder, 'install', '--no-save', join(folder, tarball))
})
afterAll(async () => {
  await market?.close()
  rmSync(folder, { recursive: true, force: true })
})

function npm(cwd: string, command: string, ...args: string[]) {
  const quiet = ['--silent', '--offline', '--no-audit', '--no-fund']
  execFileSync('npm', [command, ...quiet, ...args], { cwd, stdio: ['ignore', 'ignore', 'pipe'] })
}

const machineNode = PATH.map((place) => join(place, 'node')).find((path) => existsSync(path))
const nodes = [process.execPath, ...(machineNode ? [machineNode] : [])]

/** What is typed becomes standard input. */
function runWith(node: string, config: string) {
  return (line: string, typed = ''): Promise<{ code: number; out: string; err: string }> =>
    new Promise((resolve) => {
      const env = { PATH: [dirname(node), ...PATH].join(':'), XDG_CONFIG_HOME: config }
      const bin = join(folder, 'node_modules/.bin/ergon')
      const child = execFile(bin, line.split(' '), { cwd: folder, env }, (error, out, err) =>
        resolve({ code: error ? Number(error.code) : 0, out, err }),
      )
      child.stdin!.end(typed)
    })
}

test('it brings nothing along', () => {
  const installed = join(folder, 'node_modules/@ergon/cli')
  expect(readdirSync(join(folder, 'node_modules/@ergon'))).toEqual(['cli'])
  const files = ['dist', 'ergon.js', 'package.json', 'README.md']
  expect(readdirSync(installed).sort()).toEqual(files.sort())
  const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
  expect(manifest).not.toHaveProperty('dependencies')
  expect(manifest).not.toHaveProperty('private')
})

test.each(nodes)('it signs in, buys and follows the order under %s', async (node) => {
  const { api_key } = await market.fundedAccount('50')
  const config = join(folder, `config-${nodes.indexOf(node)}`)
  const ergon = runWith(node, config)
  const help = await ergon('help')
  expect([help.code, help.out]).toEqual([0, expect.stringContaining('\n  buy ')])
  expect(help.out).not.toMatch(/npx|Operator commands/)

  const nowhere = await ergon('balance')
  expect([nowhere.code, nowhere.err]).toEqual([2, expect.stringContaining('run "ergon login"')])
  const entered = await ergon(`login --url ${market.url}`, `${api_key}\n`)
  expect([entered.code, entered.err]).toEqual([0, ''])
  expect(statSync(join(config, 'ergon/login.json')).mode & 0o777).toBe(0o600)

  const status = await ergon('status --json')
  expect(JSON.parse(status.out)).toMatchObject({ service: 'ready', key: 'accepted' })
  const bought = await ergon(`buy ${market.receivers[nodes.indexOf(node)]} 65000 --wait --json`)
  expect(bought.code).toBe(0)
  const order = JSON.parse(bought.out)
  expect(order).toMatchObject({ status: 'COMPLETED', total_price_sun: expect.any(Number) })
  const listed = await ergon('orders')
  expect(listed.out).toContain(order.id)
  expect((await ergon('migrate')).code).toBe(2)
  expect((await ergon('logout')).code).toBe(0)
})
