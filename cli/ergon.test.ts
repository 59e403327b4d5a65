import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createTestDatabase } from '../proof/testing/database.ts'

const ROOT = join(import.meta.dirname, '..')
const BIN = join(ROOT, 'node_modules/.bin')
type Run = { code: number; out: string; err: string }

function run(command: string, args: string[], env: Record<string, string> = {}): Promise<Run> {
  const options = { cwd: ROOT, env: { PATH: `${BIN}:${process.env.PATH}`, ...env } }
  return new Promise((resolve) => {
    execFile(command, args, options, (error, out, err) => {
      resolve({ code: error ? Number(error.code) : 0, out, err })
    })
  })
}

const ergon = (args: string[], env?: Record<string, string>) => run('ergon', args, env)

test('npx ergon config prints every setting with its value', async () => {
  const { code, out } = await run('npx', ['--no-install', 'ergon', 'config'], { PORT: '18123' })
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
  for (const name of ['config', 'migrate', 'help'])
    expect(out).toMatch(new RegExp(`^  ${name} `, 'm'))
})

test.each(['nonsense', 'constructor', '__proto__'])(
  'an unknown command is refused: %s',
  async (name) => {
    const { code, out, err } = await ergon([name])
    expect([code, out]).toEqual([2, ''])
    expect(err).toBe(`There is no command "${name}". Run "npx ergon help" to see them.\n`)
  },
)
