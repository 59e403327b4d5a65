import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'

// The command `ergon-devnet`, run as a separate process.

const main = fileURLToPath(new URL('./main.ts', import.meta.url))
let dataDir: string

beforeAll(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'devnet-'))
})
afterAll(() => rmSync(dataDir, { recursive: true, force: true }))

function environment(over: Record<string, string> = {}) {
  return { ...process.env, DATA_DIR: dataDir, DEVNET_PORT: '0', BLOCK_MS: '0', ...over }
}

function run(over: Record<string, string> = {}, ...args: string[]) {
  const child = spawn(process.execPath, [main, ...args], { env: environment(over) })
  const lines: string[] = []
  const errors: string[] = []
  child.stdout.on('data', (chunk) => lines.push(String(chunk)))
  child.stderr.on('data', (chunk) => errors.push(String(chunk)))
  const text = () => lines.join('')
  const printed = async (part: string) => {
    while (!text().includes(part)) await once(child.stdout, 'data')
    return text()
  }
  return { child, printed, errors: () => errors.join(''), exit: once(child, 'exit') }
}

test('prints where it listens and ten funded keys; SIGTERM ends it with 0', async () => {
  const { child, printed, exit } = run()
  const text = await printed('529ca9c20dd90893928ef9ce2bdfcecbc191ffc5ee93a0171427d9a28ea77718')
  const ready = JSON.parse(text.split('\n')[0]!) as { ready: boolean; url: string }
  expect(ready.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
  expect(text.match(/^T\w{33} {2}[0-9a-f]{64}$/gm)).toHaveLength(10)
  const block = await (await fetch(`${ready.url}/wallet/getnowblock`)).json()
  expect(block).toHaveProperty('blockID')
  child.kill('SIGTERM')
  expect(await exit).toEqual([0, null])
})

test('TERM to npx, whose shell hands nothing on, ends it', async () => {
  const over = { DATA_DIR: join(dataDir, 'npx'), npm_command: 'exec' }
  const shell = spawn('sh', ['-c', '"$0" "$1"; :', process.execPath, main], {
    env: environment(over),
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  await once(shell.stdout, 'data')
  const closed = once(shell.stdout, 'close')
  shell.kill('SIGTERM')
  await closed
})

test('DEVNET_NODE_PORTS opens the two ports of a node', async () => {
  const over = { DATA_DIR: join(dataDir, 'node'), DEVNET_NODE_PORTS: '0,0' }
  const { child, printed, exit } = run(over)
  const text = await printed('\n')
  const { node } = JSON.parse(text.split('\n')[0]!) as Record<string, Record<string, string>>
  const statuses = async (url: string) => [
    (await fetch(`${url}/wallet/getnowblock`)).status,
    (await fetch(`${url}/walletsolidity/getnowblock`)).status,
  ]
  expect(await statuses(node!.url!)).toEqual([200, 404])
  expect(await statuses(node!.solidity_url!)).toEqual([404, 200])
  child.kill('SIGTERM')
  expect(await exit).toEqual([0, null])
  const wrong = run({ ...over, DEVNET_NODE_PORTS: '8092' })
  expect(await wrong.exit).toEqual([1, null])
})

test('a taken port is one sentence and exit 1', async () => {
  const first = run({ DATA_DIR: join(dataDir, 'first') })
  const { url } = JSON.parse((await first.printed('\n')).split('\n')[0]!) as { url: string }
  const port = new URL(url).port
  const second = run({ DEVNET_PORT: port, DATA_DIR: join(dataDir, 'second') })
  expect(await second.exit).toEqual([1, null])
  expect(second.errors()).toBe(`Port ${port} is taken: stop what uses it or set DEVNET_PORT.\n`)
  // Its standard input is our pipe: it ends when the parent does.
  first.child.stdin.end()
  expect(await first.exit).toEqual([0, null])
})

test('a setting that is no number is reported, and --reset begins a new chain', async () => {
  const wrong = run({ BLOCK_MS: 'often' })
  expect(await wrong.exit).toEqual([1, null])
  expect(wrong.errors()).toBe('BLOCK_MS must be a whole number.\n')
  const reset = run({}, '--reset')
  const { url } = JSON.parse((await reset.printed('\n')).split('\n')[0]!) as { url: string }
  const state = (await (await fetch(`${url}/control/state`)).json()) as { head: { number: number } }
  expect(state.head.number).toBe(1)
  reset.child.kill('SIGINT')
  expect(await reset.exit).toEqual([0, null])
})

test('as a child with a channel it says ready there, and ends when the channel closes', async () => {
  const child = fork(main, {
    env: environment(),
    execArgv: [],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  const [message] = await once(child, 'message')
  expect(message).toMatchObject({ ready: true, url: expect.stringContaining('http://127.0.0.1:') })
  child.disconnect()
  expect(await once(child, 'exit')).toEqual([0, null])
})

test('the marketplaces it opens are printed with their credentials', async () => {
  const child = fork(main, {
    env: environment({ MARKETPLACES: 'catfee,tronzap', DATA_DIR: join(dataDir, 'market') }),
    execArgv: [],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  const [message] = await once(child, 'message')
  expect(message.marketplaces).toMatchObject([
    { name: 'catfee', key: 'sandbox-catfee-key', secret: 'sandbox-catfee-secret' },
    { name: 'tronzap' },
  ])
  const shown = await (await fetch(message.marketplaces[0].control_url)).json()
  expect(shown).toMatchObject({ name: 'catfee', behaviour: 'ok', price_sun: 18 })
  expect(shown).toHaveProperty('capacity', expect.any(Number))
  expect((shown as { capacity: number }).capacity).toBeGreaterThan(90_000_000)
  child.kill('SIGTERM')
  expect(await once(child, 'exit')).toEqual([0, null])
  const wrong = run({ MARKETPLACES: 'nobody', DATA_DIR: join(dataDir, 'wrong') })
  expect(await wrong.exit).toEqual([1, null])
  expect(wrong.errors()).toBe('MARKETPLACES may name catfee, itrx, tronsave, tronzap.\n')
})
