import { execFile, spawn } from 'node:child_process'
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { settings } from '../service/kernel/index.ts'
import { bundledErgon } from './testing/bundled.ts'
import { COMPILED } from './testing/compiled.ts'
import { documentedIn, matches } from './testing/documented.ts'
import { commandsOf, hasPlaces, isMentionOf, mentionsIn } from './testing/mention.ts'
import { stretched } from './testing/stretched.ts'
import { until } from './testing/until.ts'

const root = join(import.meta.dirname, '..')
const pages = [
  '*.md',
  'docs/**/*.md',
  '{contract,tron,devnet,deploy}/*.md',
  'service/*/*.md',
].flatMap((pattern) => globSync(pattern, { cwd: root }))

test.each(Object.entries(settings))(
  'the page of settings says of %s what the settings say',
  (name, setting) => {
    const value = setting.default && `\`${setting.default}\``
    expect(readFileSync(join(root, 'docs/operating/settings.md'), 'utf8')).toContain(
      `| \`${name}\` | ${value} | ${setting.meaning} |`,
    )
  },
)

test.each(pages)('%s: every link leads somewhere', (page) => {
  const text = readFileSync(join(root, page), 'utf8')
  const links = [...text.matchAll(/\]\(([^)#]+)[^)]*\)/g)].map(([, link]) => link!)
  // What begins with a stroke is an address of the running service.
  const local = links.filter((link) => !/^(https?:|\/(docs(\/[\w/-]+)?|openapi\.json)$)/.test(link))
  const dead = local.filter((link) => !existsSync(join(root, dirname(page), link)))
  expect(dead).toEqual([])
})

// Every command of README and guide, and every block of the operating manual, as it stands. They share one sandbox, which is
// started by the first of them, `npm start`, on free ports and with a data folder of its own.

const guides = globSync('docs/guide/*.md', { cwd: root }).sort()
const client = ['README.md', ...guides]
const manual = globSync('docs/operating/*.md', { cwd: root }).filter(
  (page) => documentedIn(join(root, page)).length > 0,
)

const folder = mkdtempSync(join(tmpdir(), 'ergon-reader-'))
/** A reader's own programs: `npm test` has put those of the repository before them. */
const PATH = process.env.PATH!.split(':').filter((place) => !place.includes('node_modules'))
const env: Record<string, string | undefined> = {
  PATH: PATH.join(':'),
  HOME: process.env.HOME,
  XDG_CONFIG_HOME: join(folder, 'config'),
  BROWSER: 'true',
  TERM: 'dumb',
  ...COMPILED,
}
const stops: (() => Promise<unknown>)[] = []
afterAll(async () => {
  for (const stop of stops.reverse()) await stop()
  rmSync(folder, { recursive: true, force: true })
})

/** Runs until it is stopped; as soon as it has printed `sign` the reader goes on. */
async function runOn(line: string, cwd: string, sign: string, more: Record<string, string> = {}) {
  const options = { cwd, env: { ...env, ...more }, detached: true }
  const child = spawn('bash', ['-c', `exec ${line}`], options)
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      printed += chunk
    })
  }
  const ended = new Promise((resolve) => child.once('close', resolve))
  const isOver = () => child.exitCode !== null
  await until(`${line}: ${sign}`, () => printed.includes(sign) || isOver(), 100_000)
  expect(printed).toContain(sign)
  return async () => {
    // As Ctrl-C in a terminal does it: whatever npx has started hears it too.
    process.kill(-child.pid!, 'SIGINT')
    await ended
  }
}

/**
 * What npx does with a program of the repository, without the half second that npm takes to begin, and the second in
 * which the operators' commands load module by module.
 */
const NPX =
  'npx() { (PATH="$PWD/node_modules/.bin:$PATH"; if [ "$1" = ergon ]; then shift; exec "$NODE" "$ERGON" "$@"; fi; exec "$@"); }'

/** Blocks of one page in one shell, as a reader types them; a line apart tells their output apart. */
async function runBlocks(blocks: string[], first = NPX): Promise<string[]> {
  const mark = '==== next block'
  const all = blocks.flatMap((block) => [block, `echo '${mark}'`])
  const script = ['set -euo pipefail', first, ...all].join('\n')
  const programs = { NODE: process.execPath, ERGON: await bundledErgon() }
  return new Promise((resolve, reject) => {
    const options = { cwd: folder, env: { ...env, ...programs }, timeout: stretched(200_000) }
    execFile('bash', ['-c', script], options, (error, out) => {
      if (error) reject(new Error(`${error.message}\n${out}`))
      else resolve(out.split(`${mark}\n`))
    })
  })
}

test(
  'npm start, as the README says',
  async () => {
    const [first] = documentedIn(join(root, 'README.md'))
    expect(first!.commands).toBe('npm start\n')
    const data = join(folder, '.data')
    mkdirSync(data)
    for (const name of ['node_modules', 'docs', 'package.json', 'sdk', 'cli']) {
      symlinkSync(join(root, name), join(folder, name))
    }
    const places = { DATA_DIR: data, PORT: '0', DEVNET_PORT: '0', BLOCK_MS: '600' }
    stops.push(await runOn('npm start', root, 'Ergon sandbox is up', places))
    const file = JSON.parse(readFileSync(join(data, 'sandbox.json'), 'utf8'))
    // The same in every terminal, as the README says of settings.
    env.PORT = new URL(file.base_url).port
    env.DEVNET_PORT = new URL(file.devnet_url).port
    await until('the deposit of the demo account', async () => {
      const [printed] = await runBlocks(['npx ergon balance'], '')
      return printed!.includes('1,000 TRX')
    })
    // The manual's commands are those of two operators.
    await runBlocks([
      'umask 077',
      "echo 'a password for tests' > password",
      'npx ergon operators add ann@example.com --password-file password',
      'npx ergon operators add bob@example.com --password-file password',
    ])
  },
  stretched(150_000),
)

/** The key ceremony has folders of its own. */
const elsewhere = (commands: string) =>
  commands.replaceAll(/\/(etc|run|var\/lib)\/ergon/g, `${folder}/$1/ergon`)

const isOpen = (commands: string) => commands.startsWith('npx ergon listen')
const isBegun = (commands: string) => /^npm (start|test)/.test(commands)

test.each([...client, ...manual])(
  '%s: every command works, and prints what the page shows',
  async (page) => {
    for (const place of ['etc', 'run', 'var/lib'])
      mkdirSync(join(folder, place), { recursive: true })
    const blocks = documentedIn(join(root, page)).filter(({ commands }) => !isBegun(commands))
    for (const { commands } of blocks.filter((block) => isOpen(block.commands))) {
      await (await runOn(commands.trim(), folder, 'Signing secret: '))()
    }
    const ended = blocks.filter(({ commands }) => !isOpen(commands))
    const alone = unproven(page)
    const printed = await runBlocks([...ended.map(({ commands }) => elsewhere(commands)), ...alone])
    ended.forEach(({ commands, output }, index) => {
      if (output === undefined || matches(printed[index]!, output)) return
      expect({ commands, printed: printed[index] }).toEqual({ commands, printed: output })
    })
  },
  240_000,
)

test("the key file that was made is its owner's alone", () => {
  expect(statSync(join(folder, 'etc/ergon/keys.json')).mode & 0o077).toBe(0)
})

/** Whatever a block of a page runs. */
const run = client.flatMap((page) =>
  documentedIn(join(root, page)).flatMap(({ commands }) => commandsOf(commands)),
)

/**
 * Commands that only a sentence has: they are run as well. With places to fill in, they cannot be. Those
 * of the manual are run by commands.story.ts.
 */
function unproven(page: string): string[] {
  if (!client.includes(page)) return []
  const output = mentionsIn(readFileSync(join(root, page), 'utf8'))
  const left = output.filter(
    ({ code, needs }) => needs === undefined && !run.some((line) => isMentionOf(code, line)),
  )
  const codes = left.map(({ code }) => code)
  expect(codes.filter(hasPlaces), 'no block shows it with its places filled in').toEqual([])
  return codes
}
