// Proves: app, db.
import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import type { SandboxFile } from '../../service/app/sandbox.ts'
import { createTestDatabase } from '../testing/database.ts'
import { buildPages } from '../testing/pages.ts'
import {
  descendantsOf,
  isAlive,
  type Program,
  type Relative,
  startProgram,
  untilUp,
} from '../testing/program.ts'
import { until } from '../testing/until.ts'

let folder: string
/** Limit for whole starts, on a machine that may be busy with other tests. */
const MINUTES = 240_000
const started: Program[] = []
const family: Relative[] = []
beforeAll(buildPages)
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ergon-start-'))
})
afterEach(async () => {
  for (const program of started.splice(0)) {
    if (!program.isRunning()) continue
    family.push(...descendantsOf(program.pid))
    program.kill('SIGKILL')
    await program.ended
  }
  for (const relative of family.splice(0))
    if (isAlive(relative)) process.kill(relative.pid, 'SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

function start(
  env: Record<string, string> = {},
  where: { uid?: number; gid?: number; root?: string } = {},
) {
  // Slow blocks: no test here waits for one.
  const program = startProgram({ env: { DATA_DIR: folder, BLOCK_MS: '3000', ...env }, ...where })
  started.push(program)
  return program
}

async function accountOf(baseUrl: string, key: string) {
  const response = await fetch(`${baseUrl}/account`, { headers: { 'x-api-key': key } })
  return { status: response.status, body: (await response.json()) as Record<string, string> }
}

/** Ready means that an order is accepted at the first try, and completes. */
async function buyAtOnce({ base_url, accounts, funded_keys }: SandboxFile) {
  const headers = { 'x-api-key': accounts[0]!.api_key, 'content-type': 'application/json' }
  const wish = { receiver_address: funded_keys[0]!.address, resource_amount: 65_000 }
  const bought = await fetch(`${base_url}/buy`, {
    method: 'POST',
    headers,
    body: JSON.stringify(wish),
  })
  const { order_id } = (await bought.json()) as { order_id: string }
  expect(bought.status).toBe(200)
  await until('the order completes', async () => {
    const answer = await fetch(`${base_url}/order/${order_id}`, { headers })
    return ((await answer.json()) as { status: string }).status === 'COMPLETED'
  })
}

/** Ends with one sentence on standard error and code 1, and leaves no process running. */
async function expectRefusal(program: Program, sentence: RegExp) {
  expect(await program.ended).toBe(1)
  expect(program.complaints()).toMatch(sentence)
  expect(program.complaints().trim().split('\n')).toHaveLength(1)
}

test(
  'a second start refused, a clean stop, and kill -9 of the service, then of everything: each next start recovers',
  async () => {
    const first = start()
    const before = await untilUp(first, folder)
    // Workspace, sign-in, key, docs, chain, a first purchase.
    expect(first.output().trim().split('\n')).toHaveLength(6)
    const [demo] = before.accounts
    expect(statSync(join(folder, 'sandbox.json')).mode & 0o777).toBe(0o600)
    const { status, body } = await accountOf(before.base_url, demo!.api_key)
    expect([status, body.balance_trx]).toEqual([200, '1000'])
    await buyAtOnce(before)

    await expectRefusal(start(), /^Ergon already runs on .*DATA_DIR/)
    expect((await accountOf(before.base_url, demo!.api_key)).status).toBe(200)

    const children = descendantsOf(first.pid)
    family.push(...children)
    expect(children.map(({ command }) => command).join('\n')).toContain(folder)
    first.kill('SIGTERM')
    first.kill('SIGTERM')
    expect(await first.ended).toBe(0)
    expect(children.filter(isAlive)).toEqual([])
    expect(first.complaints()).toBe('')

    const second = start()
    const after = await untilUp(second, folder)
    expect(after.accounts).toEqual(before.accounts)
    await buyAtOnce(after)
    const orphans = descendantsOf(second.pid)
    family.push(...orphans)
    second.kill('SIGKILL')
    await second.ended

    const third = start()
    expect((await untilUp(third, folder)).accounts).toEqual(before.accounts)
    await until('the orphans to end', () => !orphans.some(isAlive))
    const everything = descendantsOf(third.pid)
    family.push(...everything)
    third.kill('SIGKILL')
    for (const { pid } of everything) process.kill(pid, 'SIGKILL')
    await third.ended

    const fourth = start()
    const last = await untilUp(fourth, folder)
    expect(last.accounts).toEqual(before.accounts)
    expect((await accountOf(last.base_url, last.accounts[0]!.api_key)).status).toBe(200)
    fourth.kill('SIGINT')
    expect(await fourth.ended).toBe(0)
  },
  MINUTES,
)

/** Waits for a file of the start, and records every process seen meanwhile. */
async function untilThereIs(file: string, program: Program) {
  await until(
    `${file} to be there`,
    () => {
      family.push(...descendantsOf(program.pid))
      return existsSync(join(folder, file)) || !program.isRunning()
    },
    MINUTES,
  )
  family.push(...descendantsOf(program.pid))
}

test(
  'a signal while it starts leaves nothing running, and kill -9 of everything does no harm to the next start',
  async () => {
    for (const file of ['postgres/cluster.new/PG_VERSION', 'postgres/postgres.log']) {
      const program = start()
      await untilThereIs(file, program)
      program.kill('SIGTERM')
      await until(
        'it to end',
        () => {
          family.push(...descendantsOf(program.pid))
          return !program.isRunning()
        },
        MINUTES,
      )
      expect(await program.ended).toBe(0)
      expect(family.filter(isAlive)).toEqual([])
      expect(program.complaints()).toBe('')
      rmSync(folder, { recursive: true })
      mkdirSync(folder)
    }
    const killed = start()
    await untilThereIs('postgres/cluster.new/PG_VERSION', killed)
    killed.kill('SIGKILL')
    for (const relative of family) if (isAlive(relative)) process.kill(relative.pid, 'SIGKILL')
    await killed.ended
    const next = start()
    const { base_url, accounts } = await untilUp(next, folder)
    expect((await accountOf(base_url, accounts[0]!.api_key)).status).toBe(200)
  },
  MINUTES,
)

test('a taken port is refused before anything is started', async () => {
  const taken = createServer()
  await new Promise<void>((listening) => taken.listen(0, '127.0.0.1', listening))
  const { port } = taken.address() as { port: number }
  await expectRefusal(start({ PORT: String(port) }), new RegExp(`^Port ${port} is taken.*PORT`))
  expect(existsSync(join(folder, 'postgres'))).toBe(false)
  taken.close()
})

test('a data folder that cannot be written is refused', async () => {
  const file = join(folder, 'file')
  writeFileSync(file, '')
  await expectRefusal(start({ DATA_DIR: join(file, 'data') }), /cannot be written.*DATA_DIR/)
})

test('a setting that cannot be parsed is refused by its name', async () => {
  await expectRefusal(start({ PORT: 'eighty' }), /^PORT is "eighty"; expected a port/)
})

/** A copy of what a start reads, with these stamps of built pages. */
function checkout(stamp?: string): string {
  const root = join(folder, 'checkout')
  const here = join(import.meta.dirname, '../..')
  const filter = (path: string) => !/\/(dist|node_modules)$/.test(path)
  for (const name of ['service', 'web', 'contract', 'package.json', 'package-lock.json']) {
    cpSync(join(here, name), join(root, name), { recursive: true, filter })
  }
  symlinkSync(join(here, 'node_modules'), join(root, 'node_modules'))
  if (stamp === undefined) return root
  for (const part of ['pay', 'front', 'status', 'docs', 'workspace', 'console']) {
    mkdirSync(join(root, 'web/dist', part), { recursive: true })
    writeFileSync(join(root, 'web/dist', part, 'stamp'), stamp)
  }
  return root
}

test('production does not start while the pages are not built, and does not build them', async () => {
  const root = checkout()
  const DATA_DIR = join(folder, 'data')
  const production = { MODE: 'production', DATA_DIR }
  const sentence = /^The pages are not built: .*npm run build/
  await expectRefusal(start(production, { root }), sentence)
  await expectRefusal(start({ ...production, ROLE: 'api' }, { root }), sentence)
  expect(existsSync(DATA_DIR)).toBe(false)
  expect(existsSync(join(root, 'web/dist/pay/pay.js'))).toBe(false)
  // A worker serves none. It gets as far as its data folder.
  writeFileSync(DATA_DIR, '')
  await expectRefusal(start({ ...production, ROLE: 'worker' }, { root }), /cannot be written/)
  const sandbox = start({ DATA_DIR }, { root })
  await sandbox.ended
  expect(sandbox.complaints()).toMatch(/^The pages .* The API works\.\nThe data folder/)
})

test('nor while they are built from other sources', async () => {
  const root = checkout('of another release')
  const program = start({ MODE: 'production', DATA_DIR: join(folder, 'data') }, { root })
  await expectRefusal(program, /^The pages were built from other sources: .*npm run build/)
})

test('a process for HTTP alone that could ask for signatures is refused', async () => {
  const DATABASE_URL = 'postgresql://ergon_app@127.0.0.1:1/ergon'
  await expectRefusal(start({ ROLE: 'api', DATABASE_URL }), /^Set DATABASE_API_URL: .*no signature/)
})

test('a database that may lose acknowledged commits is refused', async () => {
  const database = await createTestDatabase()
  const [row] = await database.sql<{ name: string }>('select current_database() as name')
  await database.sql(`alter database ${row!.name} set synchronous_commit = off`)
  await expectRefusal(
    start({ DATABASE_URL: database.url('ergon_app') }),
    /synchronous_commit is off/,
  )
  await database.drop()
})

test(
  'an existing server is used where one is named, and migrated by a role that may',
  async () => {
    const database = await createTestDatabase({ empty: true })
    const program = start({
      DATABASE_URL: database.url('ergon_app'),
      DATABASE_ADMIN_URL: database.url('ergon_admin'),
      DATABASE_SIGNER_URL: database.url('ergon_signer'),
    })
    const { base_url, accounts } = await untilUp(program, folder)
    expect((await accountOf(base_url, accounts[0]!.api_key)).status).toBe(200)
    expect(existsSync(join(folder, 'postgres'))).toBe(false)
    program.kill('SIGTERM')
    expect(await program.ended).toBe(0)
    await database.drop()
  },
  MINUTES,
)

const NOBODY = 65_534
const isRoot = process.getuid!() === 0

/** A checkout below a private home directory cannot be read by another user. */
function canOthersRead(path: string): boolean {
  const open = (statSync(path).mode & 0o005) === 0o005
  return open && (path === '/' || canOthersRead(dirname(path)))
}

test.runIf(isRoot && canOthersRead(import.meta.dirname))(
  'an ordinary user starts it too',
  async () => {
    chownSync(folder, NOBODY, NOBODY)
    const program = start({}, { uid: NOBODY, gid: NOBODY })
    const { base_url, accounts } = await untilUp(program, folder)
    expect((await accountOf(base_url, accounts[0]!.api_key)).status).toBe(200)
    program.kill('SIGTERM')
    expect(await program.ended).toBe(0)
  },
  MINUTES,
)
