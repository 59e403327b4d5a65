import { execFile, spawn } from 'node:child_process'
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { settings } from '../service/kernel/index.ts'
import { documentedIn, matches } from './testing/documented.ts'
import { until } from './testing/until.ts'

const root = join(import.meta.dirname, '..')
const pages = ['*.md', 'docs/**/*.md', '{contract,tron,devnet}/*.md', 'service/*/*.md'].flatMap(
  (pattern) => globSync(pattern, { cwd: root }),
)

test.each(Object.entries(settings))(
  'the README says of %s what the settings say',
  (name, setting) => {
    const value = setting.default && `\`${setting.default}\``
    expect(readFileSync(join(root, 'README.md'), 'utf8')).toContain(
      `| \`${name}\` | ${value} | ${setting.meaning} |`,
    )
  },
)

test.each(pages)('%s: every link leads somewhere', (page) => {
  const text = readFileSync(join(root, page), 'utf8')
  const links = [...text.matchAll(/\]\(([^)#]+)[^)]*\)/g)].map(([, link]) => link!)
  // What begins with a stroke is an address of the running service.
  const local = links.filter((link) => !/^(https?:|\/(docs|openapi\.json)$)/.test(link))
  const dead = local.filter((link) => !existsSync(join(root, dirname(page), link)))
  expect(dead).toEqual([])
})

// Every command of the README and of the guide, as it stands. They share one sandbox, which is
// started by the first of them, `npm start`, on free ports and with a data folder of its own.

const folder = mkdtempSync(join(tmpdir(), 'ergon-reader-'))
/** A reader's own programs: `npm test` has put those of the repository before them. */
const PATH = process.env.PATH!.split(':').filter((place) => !place.includes('node_modules'))
const env = { PATH: PATH.join(':'), HOME: process.env.HOME, TERM: 'dumb' }
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

/** Blocks of one page in one shell, as a reader types them; a line apart tells their output apart. */
function runBlocks(blocks: string[]): Promise<{ printed: string[]; complaints: string }> {
  const mark = '==== next block'
  const script = ['set -eu', ...blocks.flatMap((block) => [block, `echo '${mark}'`])].join('\n')
  return new Promise((resolve, reject) => {
    const options = { cwd: folder, env, timeout: 100_000 }
    execFile('bash', ['-c', script], options, (error, out, complaints) => {
      if (error) reject(new Error(`${error.message}\n${out}`))
      else resolve({ printed: out.split(`${mark}\n`), complaints })
    })
  })
}

test('npm start, as the README says', async () => {
  const [first] = documentedIn(join(root, 'README.md'))
  // The other line is the run that this test is a part of.
  expect(first!.commands.split('\n').map((line) => line.split(' #')[0]!.trim())).toEqual([
    'npm start',
    'npm test',
    '',
  ])
  const data = join(folder, '.data')
  mkdirSync(data)
  for (const name of ['node_modules', 'docs', 'package.json']) {
    symlinkSync(join(root, name), join(folder, name))
  }
  const places = { DATA_DIR: data, PORT: '0', DEVNET_PORT: '0', BLOCK_MS: '200' }
  stops.push(await runOn('npm start', root, 'Ergon sandbox is up', places))
  await until('the deposit of the demo account', async () => {
    const { printed } = await runBlocks(['npx ergon balance'])
    return printed[0]!.includes('1000 TRX')
  })
}, 150_000)

const guides = globSync('docs/guide/*.md', { cwd: root }).sort()

test.each(['README.md', ...guides])(
  '%s: every command works, and prints what the page shows',
  async (page) => {
    const known = documentedIn(join(root, page))
    const blocks = known.filter(({ commands }) => !/^npm (start|test)/.test(commands))
    const isOpen = ({ commands }: { commands: string }) => commands.startsWith('npx ergon listen')
    for (const { commands } of blocks.filter(isOpen)) {
      await (await runOn(commands.trim(), folder, 'Signing secret: '))()
    }
    const ended = blocks.filter((block) => !isOpen(block))
    const { printed } = await runBlocks(ended.map(({ commands }) => commands))
    ended.forEach(({ commands, output }, index) => {
      if (output === undefined || matches(printed[index]!, output)) return
      expect({ commands, printed: printed[index] }).toEqual({ commands, printed: output })
    })
  },
  150_000,
)
