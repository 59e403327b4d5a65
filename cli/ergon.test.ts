import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { bundledErgon } from '../proof/testing/bundled.ts'
import { COMPILED } from '../proof/testing/compiled.ts'
import { createTestDatabase } from '../proof/testing/database.ts'

const ROOT = join(import.meta.dirname, '..')
const BIN = join(ROOT, 'node_modules/.bin')
/** Outside the repository, so that no sandbox that runs there is found. */
const folder = mkdtempSync(join(tmpdir(), 'ergon-cli-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
type Run = { code: number; out: string; err: string }

function run(command: string, args: string[], env: Record<string, string> = {}): Promise<Run> {
  const own = {
    ...COMPILED,
    PATH: `${BIN}:${process.env.PATH}`,
    XDG_CONFIG_HOME: join(folder, 'config'),
  }
  const options = { cwd: folder, env: { ...own, ...env } }
  return new Promise((resolve) => {
    const child = execFile(command, args, options, (error, out, err) => {
      resolve({ code: error ? Number(error.code) : 0, out, err })
    })
    child.stdin!.end()
  })
}

const ergon = async (args: string[], env?: Record<string, string>) =>
  run(process.execPath, [await bundledErgon(), ...args], env)

test('config prints every setting with its value', async () => {
  const { code, out } = await ergon(['config'], { PORT: '18123' })
  expect(code).toBe(0)
  expect(out).toMatch(/^PORT +18123 +port of the HTTP server; default 8080$/m)
  expect(out).toMatch(/^HOST +127\.0\.0\.1 +address/m)
})

test.each(['audit', 'migrate', 'switches'])(
  '%s --help says how, and does nothing',
  async (name) => {
    // No database: a command that ran would fail.
    const { code, out } = await ergon([name, '--help'], { DATA_DIR: '/nonexistent' })
    expect([code, out]).toEqual([0, expect.stringMatching(`^Usage: npx ergon ${name} \\[`)])
  },
)

test('config --json is for machines', async () => {
  const { out } = await ergon(['config', '--json'], { BLOCK_MS: '500' })
  const rows = JSON.parse(out) as { name: string; value: string }[]
  expect(rows.find(({ name }) => name === 'BLOCK_MS')).toMatchObject({
    value: '500',
    default: '3000',
    meaning: expect.any(String),
  })
})

test.each([[], ['--json']])('config shows no secret %j', async (...flags) => {
  const { code, out } = await ergon(['config', ...flags], {
    DATABASE_URL: 'postgresql://ergon_app:canary@one/ergon,postgresql://ergon_app:can@ary@two/x',
    DATABASE_ADMIN_URL: 'postgresql://ergon_admin@one/ergon?password=canary&x=1',
    TRON_API_KEY: 'canary',
  })
  expect(code).toBe(0)
  expect(out).toContain('ergon_app:…@one/ergon')
  expect(out).not.toMatch(/canary|can@|ary@/)
})

test('config names what cannot be read and what was expected, and fails', async () => {
  const { code, out } = await ergon(['config'], { PORT: 'eighty' })
  expect(code).toBe(1)
  expect(out).toMatch(/^PORT +eighty +CANNOT BE READ, expected a port from 0 to 65535$/m)
})

test('migrate brings an empty database to this version, once', async () => {
  const database = await createTestDatabase({ empty: true })
  const env = { DATABASE_ADMIN_URL: database.url('ergon_admin') }
  expect(await ergon(['migrate'], env)).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^\d+ files of SQL applied\.\n$/),
  })
  expect(await ergon(['migrate'], env)).toMatchObject({ code: 0, out: 'Nothing to do.\n' })
  await database.drop()
})

test('migrate without a database says what to set', async () => {
  const { code, err } = await ergon(['migrate'])
  expect([code, err]).toEqual([1, expect.stringMatching(/^Set DATABASE_ADMIN_URL.*\n$/)])
})

test.each([[['help']], [['--help']], [[]]])('ergon %j lists the commands', async (args) => {
  const { code, out } = await ergon(args)
  expect(code).toBe(0)
  const [client, operator] = out.split(/^Operator commands\./m)
  for (const name of ['buy', 'webhooks', 'help']) expect(client).toMatch(listed(name))
  for (const name of ['config', 'migrate', 'status']) expect(operator).toMatch(listed(name))
})

/** A sentence, and an example on the next line. */
const listed = (name: string) => new RegExp(`^  ${name} +[A-Z].*\n +npx ergon .*${name}`, 'm')

test('help of one command says what can follow, what it does and how', async () => {
  const [help, flag] = await Promise.all([ergon(['help', 'buy']), ergon(['buy', '--help'])])
  expect([help.code, help.out]).toEqual([0, flag.out])
  expect(flag.out).toMatch(/^Usage: npx ergon buy ADDRESS ENERGY\n/)
  expect(flag.out).toMatch(/^Example: npx ergon buy T\w+ 65000 --wait$/m)
})

test.each([
  ['nonsense', ''],
  ['constructor', ''],
  ['__proto__', ''],
  ['byu', ' Did you mean buy?'],
  ['docter', ' Did you mean doctor?'],
])('an unknown command is refused: %s', async (name, hint) => {
  const { code, out, err } = await ergon([name])
  expect([code, out]).toEqual([2, ''])
  expect(err).toBe(`There is no command "${name}".${hint} Run "npx ergon help" to see them.\n`)
})

test.each([
  [['buy', '--wiat'], 'There is no option --wiat here. Did you mean --wait?'],
  [
    ['switches', 'off', 'selling', '--bye', 'ann'],
    'There is no option --bye here. Did you mean --by?',
  ],
  [['operator', 'status', '--url', 'x'], 'There is no option --url here.'],
  [['agent', 'pasue'], '"pasue" is not something the agent program does. Did you mean pause?'],
  [['balance', '--key', ''], '--key is empty.'],
  [['balance', '--url='], '--url is empty.'],
  [['completion', 'tcsh'], 'Say which shell'],
  [['login'], 'Address of Ergon is missing.'],
])('%j says what is wrong, with exit code 2', async (args, sentence) => {
  const { code, out, err } = await ergon(args)
  expect([code, out, err]).toEqual([2, '', expect.stringContaining(sentence)])
})

test('the version is that of the package', async () => {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'cli/package.json'), 'utf8'))
  expect((await run('ergon', ['--version'])).out).toBe(`${version}\n`)
})

test("keys and status are the operators' inside the repository, unless the line is a client's", async () => {
  const operators = await Promise.all([
    ergon(['keys', 'show']),
    ergon(['operator', 'status', '-h']),
  ])
  expect(operators[0].err).toContain('Say which file: --file FILE')
  expect(operators[1].out).toBe(
    'Usage: npx ergon status [--json]\n\nThe first page of the console; exit code 1 when something needs a look.\n\nExample: npx ergon status\n',
  )
  const nowhere = ['--url', 'http://127.0.0.1:9', '--key', 'erg_x']
  const clients = await Promise.all([
    ergon(['client', 'status', ...nowhere]),
    ergon(['status', ...nowhere]),
    ergon(['keys', 'list', '--email', 'a@example.com', ...nowhere], { ERGON_PASSWORD: 'x' }),
  ])
  expect(clients.map(({ code }) => code)).toEqual([3, 3, 3])
  expect(clients[0].out).toMatch(/^Service +no answer$/m)
})

test('bash completes commands, verbs and options', async () => {
  const { out } = await ergon(['completion', 'bash'])
  writeFileSync(join(folder, 'completion'), out)
  const ask = (...words: string[]) => {
    const line = words.map((word) => `'${word}'`).join(' ')
    return `COMP_WORDS=(${line}) COMP_CWORD=${words.length - 1}; _ergon; echo "\${COMPREPLY[@]}"`
  }
  const asked = [ask('ergon', 'ba'), ask('ergon', 'webhooks', 'de'), ask('ergon', 'buy', '--m')]
  const shell = await run('bash', ['-c', `. ./completion; ${asked.join('; ')}; complete -p ergon`])
  expect(shell.out.split('\n').slice(0, 4)).toEqual([
    'balance bars',
    'deliveries delete',
    '--max-price',
    'complete -o default -F _ergon ergon',
  ])
})

test.each(['zsh', 'fish'])('there is a completion for %s with every command', async (shell) => {
  const { code, out } = await ergon(['completion', shell])
  expect(code).toBe(0)
  for (const name of ['balance', 'webhooks', 'switches']) expect(out).toContain(name)
  expect(out).toContain(shell === 'zsh' ? '#compdef ergon' : 'complete -c ergon')
})

test('a kept key goes to its own service only, and logout removes it', async () => {
  const config = join(folder, 'config/ergon')
  mkdirSync(config, { recursive: true })
  writeFileSync(join(config, 'login.json'), '{"base_url":"http://127.0.0.1:9/v1","api_key":"kept"}')
  const there = await ergon(['balance', '--url', 'http://127.0.0.1:10'])
  expect([there.code, there.err]).toEqual([2, expect.stringContaining('Which key for http')])
  const removed = await ergon(['logout'])
  expect([removed.code, removed.out]).toEqual([0, 'Address and key are removed.\n'])
  expect((await ergon(['logout'])).out).toBe('Nobody was signed in here.\n')
  expect(() => statSync(join(config, 'login.json'))).toThrow()
})
