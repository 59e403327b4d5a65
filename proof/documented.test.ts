import { execFile } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { routes, sandboxRoutes } from '@ergon/contract'
import { expect, test } from 'vitest'
import { settings } from '../service/kernel/index.ts'
import { absentIn, absentInErgon } from './testing/commandLine.ts'
import { blocksIn, inlineIn } from './testing/documented.ts'

// What README, guide and operating manual name is there. Their blocks are run: those of README and guide
// by readme.test.ts, those of the manual here, but for blocks that say in their first line what they need.

const root = join(import.meta.dirname, '..')
const client = ['README.md', ...globSync('docs/guide/*.md', { cwd: root })]
const manual = globSync('docs/operating/*.md', { cwd: root })
const pages = [...client, ...manual, 'SECURITY.md', 'ARCHITECTURE.md'].sort()
const read = (page: string) => readFileSync(join(root, page), 'utf8')
const NEEDS = /^# needs .+/

test.each(pages)('%s: every command in it is there, with its options', (page) => {
  const text = read(page)
  const shown = blocksIn(text).filter(({ kind }) => kind === 'sh')
  const lines = [...inlineIn(text), ...shown.flatMap(({ body }) => body.split('\n'))]
  const wrong = lines.filter((line) => (absentIn(line) ?? []).length > 0)
  expect(wrong.map((line) => `${line}: ${absentIn(line)}`)).toEqual([])
})

test('a command that is not there is found', () => {
  expect(absentIn('npx ergon sell')).toEqual(['sell'])
  expect(absentIn('npx ergon buy ADDRESS 65000 --now')).toEqual(['--now'])
  expect(absentIn('npx ergon switches of selling --why TEXT')).toEqual(['of'])
  expect(absentIn('PROT=1 npm start')).toEqual(['PROT'])
  expect(absentIn('npm run simulate -- --seeds 4')).toEqual(['simulate'])
  expect(absentIn('npm run sim -- --sedes 4')).toEqual(['--sedes'])
  expect(absentIn('node proof/nothing.ts')).toEqual(['proof/nothing.ts'])
  expect(absentIn('npx ergon undecided decide ID --as absent --by NAME --why TEXT')).toEqual([])
})

test.each(['docs/operating/commands.md', 'docs/guide/command.md'])(
  '%s: every command of its table is there',
  (page) => {
    const [, table = ''] = read(page).split(/^\| Command \|.*\n\|[-|]+\n/m)
    const cells = table
      .split(/\n(?!\|)/)[0]!
      .split('\n')
      .map((row) => row.split(/(?<!\\)\|/)[1]!)
    const commands = cells.flatMap(inlineIn)
    expect(commands.length).toBeGreaterThan(7)
    const absent = commands.filter((command) => {
      const [name = '', ...rest] = command.split(' ')
      return absentInErgon(name, rest).length > 0
    })
    expect(absent).toEqual([])
  },
)

test.each(pages)('%s: every call of the API in it is there', (page) => {
  const bare = (path: string) => path.split('?')[0]!.replaceAll(/\{\w+\}|:\w+/g, '{}')
  const known = new Set(
    Object.entries({ '/v1': routes, '/sandbox': sandboxRoutes }).flatMap(([mount, list]) =>
      list.map(({ method, path }) => `${method} ${mount}${bare(path)}`),
    ),
  )
  const calls = [...read(page).matchAll(/\b(GET|POST|PATCH|DELETE) +(\/(?:v1|sandbox)\/[^\s`"]+)/g)]
  const named = calls.map(([, method, path]) => `${method} ${bare(path!)}`)
  const exact = named.map((call) => call.replace('/chat/7', '/chat/{}'))
  expect(exact.filter((call) => !known.has(call))).toEqual([])
})

test.each(pages)('%s: every block says what it is', (page) => {
  // The pages at /docs know no block within a list.
  expect(read(page)).not.toMatch(/^ +```/m)
  for (const { kind, body } of blocksIn(read(page))) {
    expect(['sh', 'text', 'ini', 'http', 'js', 'ts'], body).toContain(kind)
    // Nothing else excuses a block of README or guide from being run.
    if (client.includes(page) && NEEDS.test(body))
      expect(body).toMatch(/^# needs a public network\n/)
    if (kind !== 'ini') continue
    const names = [...body.matchAll(/^([A-Z_]+)=/gm)].map(([, name]) => name!)
    expect(names.filter((name) => !Object.hasOwn(settings, name))).toEqual([])
  }
})

test('the blocks of the operating manual work, with its folders elsewhere', async () => {
  const blocks = manual.flatMap((page) => blocksIn(read(page)))
  const run = blocks.filter(({ kind, body }) => kind === 'sh' && !NEEDS.test(body))
  expect(run.length).toBeGreaterThan(0)
  const folder = mkdtempSync(join(tmpdir(), 'ergon-manual-'))
  for (const place of ['etc', 'run']) mkdirSync(join(folder, place, 'ergon'), { recursive: true })
  try {
    for (const { body } of run) {
      const script = `set -eu\n${body.replaceAll(/\/(etc|run)\/ergon/g, `${folder}/$1/ergon`)}`
      expect(await bash(script), body).toContain('DEPOSIT_XPUB=xpub')
    }
    expect(statSync(join(folder, 'etc/ergon/keys.json')).mode & 0o077).toBe(0)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

function bash(script: string): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile('bash', ['-c', script], { cwd: root, timeout: 50_000 }, (error, out, complaints) => {
      if (error) reject(new Error(`${error.message}\n${complaints}`))
      else resolve(out)
    })
  })
}
