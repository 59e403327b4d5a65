import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { routes, sandboxRoutes } from '@ergon/contract'
import { expect, test } from 'vitest'
import { settings } from '../service/kernel/index.ts'
import { absentIn, absentInErgon } from './testing/commandLine.ts'
import {
  blocksIn,
  inlineIn,
  inlineWithNeeds,
  NEEDS,
  tableOfCommands,
} from './testing/documented.ts'
import { commandsOf, hasPlaces, isMentionOf } from './testing/mention.ts'

// What README, guide and operating manual name is there. Their commands are run by readme.test.ts, but
// for those that say what they need.

const root = join(import.meta.dirname, '..')
const client = ['README.md', ...globSync('docs/guide/*.md', { cwd: root })]
const manual = globSync('docs/operating/*.md', { cwd: root })
const pages = [...client, ...manual, 'SECURITY.md', 'ARCHITECTURE.md', 'deploy/README.md'].sort()
const PUBLIC_NETWORK = /^# needs a public network\n/
const read = (page: string) => readFileSync(join(root, page), 'utf8')

test.each(pages)('%s: every command in it is there, with its options', (page) => {
  const text = read(page)
  // The others are run.
  const shown = blocksIn(text).filter(({ kind, body }) => kind === 'sh' && NEEDS.test(body))
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
    const commands = tableOfCommands(read(page)).map(({ code }) => code)
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

const KINDS = ['sh', 'text', 'ini', 'json', 'js', 'ts', 'ts TypeScript', 'python Python']

test.each(pages)('%s: every block says what it is', (page) => {
  // The pages at /docs know no block within a list.
  expect(read(page)).not.toMatch(/^ +```/m)
  for (const { kind, body } of blocksIn(read(page))) {
    expect(KINDS, body).toContain(kind)
    // Nothing else excuses a block of README or guide from being run.
    if (client.includes(page) && NEEDS.test(body)) expect(body).toMatch(PUBLIC_NETWORK)
    if (kind !== 'ini') continue
    const names = [...body.matchAll(/^([A-Z_]+)=/gm)].map(([, name]) => name!)
    expect(names.filter((name) => !Object.hasOwn(settings, name))).toEqual([])
  }
})

test('the program of a page is the file that it names', () => {
  for (const [page, file] of [
    ['start', 'first-order'],
    ['recipe-bot', 'bot'],
  ]) {
    const [block] = blocksIn(read(`docs/guide/${page}.md`)).filter(({ kind }) => kind === 'ts')
    expect(read(`docs/examples/${file}.ts`)).toContain(block!.body.trim())
  }
})

test('README.md: bash, zsh and fish read its blocks alike', () => {
  const lines = blocksIn(read('README.md')).flatMap(({ kind, body }) =>
    kind === 'sh' ? body.trim().split('\n') : [],
  )
  expect(lines).toContain('npm start')
  // Assignments and functions are not fish's, comments are not zsh's where they are typed.
  expect(lines.filter((line) => !/^np[mx] [\w@./ -]+$/.test(line))).toEqual([])
})

test.each(client)('%s: only a public network excuses a command in a sentence', (page) => {
  const marks = inlineWithNeeds(read(page)).flatMap(({ needs }) => needs ?? [])
  expect(marks.filter((mark) => mark !== 'a public network')).toEqual([])
})

test('a command that a sentence names is known in the line that runs it', () => {
  const [buy] = commandsOf(
    'ORDER=$(npx ergon buy $TO 65000 \\\n  --wait | head -n 1)  # one\necho done',
  )
  expect(buy).toBe('npx ergon buy $TO 65000 --wait')
  expect(isMentionOf('npx ergon buy ADDRESS ENERGY', buy!)).toBe(true)
  expect(isMentionOf('npx ergon buy ADDRESS ENERGY --max-price TRX', buy!)).toBe(false)
  expect(isMentionOf('npx ergon buy ADDRESS 131000', buy!)).toBe(false)
  const off = 'npx ergon switches off provider:itrx --by ann --why "a trial"'
  expect(isMentionOf('npx ergon switches off provider:NAME --why TEXT --by NAME', off)).toBe(true)
  expect(isMentionOf('npx ergon switches off …', off)).toBe(true)
  expect(isMentionOf('npx ergon switches off selling', off)).toBe(false)
  expect(isMentionOf('npx ergon switches on NAME', off)).toBe(false)
  expect(isMentionOf('npx ergon undecided decide ID --as delivered|absent', off)).toBe(false)
  const on = 'npx ergon switches on selling --by ann --why "it is over"'
  expect(isMentionOf('npx ergon switches on selling --why … --by …', on)).toBe(true)
  expect(hasPlaces('npx ergon rescan --from N')).toBe(true)
  expect(hasPlaces('npm run build -w sdk')).toBe(false)
})
