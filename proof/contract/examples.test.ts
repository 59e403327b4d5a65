// Proves: pages, http.
import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { type Route, routes, sandboxRoutes } from '@ergon/contract'
import { utils } from 'tronweb'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Asked, EXAMPLES, SETUP, snippetsOf } from '../../web/index.ts'
import { type Coverage, openCoverage } from '../testing/autoenergy.ts'
import { openScene, playScene } from '../testing/exampleCalls.ts'
import type { Scene } from '../testing/exampleStep.ts'
import { assertPublished } from '../testing/published.ts'
import { stretched } from '../testing/stretched.ts'

// The examples of the reference: every snippet is run in its language against a service, and every answer shown was
// given by one. RECORD=1 writes what curl got.

const root = join(import.meta.dirname, '../..')
const shown = [...routes, ...sandboxRoutes].filter(
  ({ auth, reply }) => auth !== 'session' && !reply.stream,
)
const recorded: Record<string, Asked & { response: unknown }> = JSON.parse(
  readFileSync(EXAMPLES, 'utf8'),
)
const folder = mkdtempSync(join(tmpdir(), 'ergon-examples-'))

let coverage: Coverage
const runners: ChildProcess[] = []
beforeAll(async () => {
  mkdirSync(folder, { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  coverage = await openCoverage()
}, stretched(60_000))
afterAll(async () => {
  for (const runner of runners) runner.kill()
  await coverage?.close()
  rmSync(folder, { recursive: true, force: true })
})

const envOf = ({ coverage: { url }, account }: Scene) => ({
  PATH: process.env.PATH!,
  API: `${url}/v1`,
  KEY: account.api_key,
  SANDBOX: `${url}/sandbox`,
})
const freshWallet = () => utils.accounts.generateAccount().address.base58

/** Checks that the snippet printed an answer as the contract has it. */
function expectAnswer({ method, path, reply, name }: Route, printed: string): unknown {
  if (reply.status === 204) {
    expect([name, printed.trim()]).toEqual([name, ''])
    return undefined
  }
  const body = JSON.parse(printed)
  const type = 'application/json'
  const base = sandboxRoutes.some((one) => one.name === name) ? '/sandbox' : '/v1'
  const url = `http://x${base}${path.replaceAll(/\{\w+\}/g, 'x')}`
  assertPublished({ method, url }, { status: reply.status, type, body })
  return body
}

test('every call of the API has an example, and its answer is what the contract says', () => {
  expect(Object.keys(recorded).sort()).toEqual(shown.map(({ name }) => name).sort())
  for (const route of shown) {
    const { response } = recorded[route.name]!
    expectAnswer(route, response === null ? '' : JSON.stringify(response))
  }
})

test('address and key come from the environment, as a page whose commands are run sets them', () => {
  expect(readFileSync(join(root, 'docs/guide/errors.md'), 'utf8')).toContain(SETUP)
})

test(
  'every snippet for curl runs',
  async () => {
    const scene = await openScene(coverage, freshWallet())
    const run = promisify(execFile)
    const answers: Record<string, unknown> = {}
    const asked = await playScene(scene, async (route, request) => {
      const { curl } = snippetsOf(route, request)
      const { stdout } = await run('bash', ['-c', curl], { env: envOf(scene) })
      const body = expectAnswer(route, stdout)
      answers[route.name] = body ?? null
      return body
    })
    if (!process.env.RECORD) return
    const all = [...asked].map(([name, request]) => [name, { ...request, response: answers[name] }])
    // A reader has a server of their own, and a secret that nobody else knows.
    const text = JSON.stringify(Object.fromEntries(all), null, 2)
      .replaceAll(scene.known.url!, 'https://shop.example/ergon')
      .replaceAll(/("(?:new_)?signing_secret": "\w{6})[^"]*/g, '$1…')
      .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:8090')
    writeFileSync(EXAMPLES, `${text}\n`)
  },
  stretched(60_000),
)

/** A process that runs one file after the other; what a file prints is one line of JSON. */
const RUN_TYPESCRIPT = `
const plain = (_key, value) => typeof value === 'bigint' ? Number(value) : value
process.stdin.setEncoding('utf8')
let rest = ''
process.stdin.on('data', async (chunk) => {
  const [file] = (rest += chunk).split('\\n')
  if (!rest.includes('\\n')) return
  rest = ''
  const said = []
  console.log = (value) => said.push(JSON.stringify(value, plain))
  await import(file).catch((error) => said.push('failed: ' + error.stack))
  process.stdout.write(JSON.stringify(said.join('')) + '\\n')
})`

const RUN_PYTHON = `
import json, sys
for line in sys.stdin:
    said = []
    try:
        with open(line.strip()) as file:
            exec(compile(file.read(), line, "exec"), {"print": lambda value: said.append(json.dumps(value))})
    except Exception as error:
        said.append("failed: " + repr(error))
    print(json.dumps("".join(said)), flush=True)
`

/** Starts the process for a scene; what it prints for a file comes back. */
function startRunner(scene: Scene, command: string, args: string[]) {
  const env = envOf(scene)
  const runner = spawn(command, args, { cwd: folder, env, stdio: ['pipe', 'pipe', 'inherit'] })
  runners.push(runner)
  const lines = createInterface({ input: runner.stdout! })[Symbol.asyncIterator]()
  return async (file: string, code: string): Promise<string> => {
    writeFileSync(join(folder, file), code)
    runner.stdin!.write(`${join(folder, file)}\n`)
    return JSON.parse((await lines.next()).value ?? '"failed: it has ended"')
  }
}

test(
  'every snippet in TypeScript runs',
  async () => {
    const scene = await openScene(coverage, freshWallet())
    writeFileSync(join(folder, 'run.js'), RUN_TYPESCRIPT)
    const run = startRunner(scene, process.execPath, ['run.js'])
    await playScene(scene, async (route, request) => {
      const { typescript } = snippetsOf(route, request)
      const printed = await run(`${route.name}.ts`, typescript)
      expect(printed).not.toContain('failed: ')
      if (sandboxRoutes.includes(route)) return expectAnswer(route, printed)
      // The SDK unwraps lists; the shape of its answers is proved by its types.
      if (route.reply.status === 204) expect(printed).toBe('')
      return printed === '' ? undefined : JSON.parse(printed)
    })
  },
  stretched(60_000),
)

const hasPython = spawnSync('python3', ['--version']).status === 0

test.runIf(hasPython)(
  'every snippet in Python runs',
  async () => {
    const scene = await openScene(coverage, freshWallet())
    writeFileSync(join(folder, 'run.py'), RUN_PYTHON)
    const run = startRunner(scene, 'python3', ['run.py'])
    await playScene(scene, async (route, request) => {
      const { python } = snippetsOf(route, request)
      const printed = await run(`${route.name}.py`, python)
      expect(printed).not.toContain('failed: ')
      return expectAnswer(route, printed)
    })
  },
  stretched(60_000),
)
