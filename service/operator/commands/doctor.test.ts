import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { toBase58 } from '@ergon/tron'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestApp, SANDBOX_DEPOSIT_XPUB, type TestApp } from '../../../proof/testing/app.ts'
import { openNodeLike } from '../../../proof/testing/nodeLike.ts'
import { openTransactionPooler } from '../../../proof/testing/transactionPooler.ts'
import { until } from '../../../proof/testing/until.ts'
import type { ServerHealth } from '../../db/index.ts'
import { systemRuntime } from '../../kernel/index.ts'
import type { Check, Patient } from './check.ts'
import { examine } from './doctor.ts'
import { checkHealth } from './doctorDatabase.ts'

// The output of doctor on broken setups: a true cause, and a remedy that can be followed.

let app: TestApp
beforeAll(async () => {
  app = await openTestApp({ signer: true })
  await until('a block', () => app.rooms.chain.progress())
})
afterAll(() => app.close())

const folder = mkdtempSync(join(tmpdir(), 'ergon-doctor-'))
type Changes = Partial<Omit<Patient, 'environment'>>

function look(environment: Record<string, string> = {}, changes: Changes = {}): Promise<Check[]> {
  const sound = {
    DATABASE_URL: app.database.url('ergon_app'),
    TRON_URL: app.devnet.url,
    DATA_DIR: folder,
    BLOCK_MS: '0',
  }
  return examine({
    environment: { ...sound, ...environment },
    runtime: systemRuntime(),
    isRunning: async () => false,
    portTrouble: async () => undefined,
    usdtContract: () => toBase58(app.devnet.chain.network.usdt),
    depositXpub: ({ DEPOSIT_XPUB }) => DEPOSIT_XPUB || SANDBOX_DEPOSIT_XPUB,
    pagesTrouble: () => undefined,
    disk: () => ({ free: 50e9, total: 100e9 }),
    ...changes,
  })
}
const troubles = (checks: Check[]) =>
  checks.flatMap(({ name, ok, cause, remedy }) => (ok ? [] : { name, cause, remedy }))

test('a sound setup has no troubles', async () => {
  app.devnet.chain.mine()
  expect(troubles(await look())).toEqual([])
})

test('a process for HTTP that has no role of its own', async () => {
  const [found] = troubles(await look({ ROLE: 'api' }))
  expect(found).toMatchObject({ name: 'role', remedy: expect.stringContaining('DATABASE_API_URL') })
  const own = { ROLE: 'api', DATABASE_API_URL: app.database.url('ergon_api') }
  expect(troubles(await look(own))).toEqual([])
})

test('no database', async () => {
  const DATABASE_URL = 'postgresql://ergon_app:canary@127.0.0.1:1/ergon'
  const found = troubles(await look({ DATABASE_URL }))
  expect(found).toMatchObject([
    { name: 'database', remedy: expect.stringContaining('DATABASE_URL') },
  ])
  expect(JSON.stringify(found)).not.toContain('canary')
  const [embedded] = troubles(await look({ DATABASE_URL: '' }))
  expect(embedded).toMatchObject({ name: 'database', remedy: expect.stringContaining('npm start') })
})

test('a node that does not answer, and one that is stale', async () => {
  const [silent] = troubles(await look({ TRON_URL: 'http://127.0.0.1:1' }))
  expect(silent).toMatchObject({ name: 'node', cause: expect.stringContaining('does not answer') })
  const late = systemRuntime()
  late.clock.setAheadMs(600_000)
  const [stale] = troubles(await look({}, { runtime: late }))
  expect(stale).toMatchObject({
    name: 'node',
    cause: expect.stringMatching(/is stale: .* 6\d\d s old/),
  })
})

test('a full node as it comes is found on both of its ports', async () => {
  app.devnet.chain.mine()
  const node = await openNodeLike(app.devnet.url)
  try {
    const checks = await look({ TRON_URL: node.url })
    expect(troubles(checks)).toEqual([])
    const said = expect.stringMatching(/solid up to \d+, and runs constant calls/)
    expect(checks).toContainEqual(expect.objectContaining({ name: 'node', cause: said }))
    const named = { TRON_URL: node.url, TRON_SOLIDITY_URL: node.solidityUrl }
    expect(troubles(await look(named))).toEqual([])
    const [short] = troubles(await look({ ...named, TRON_URL: `${node.url},${node.url}` }))
    expect(short?.cause).toBe('TRON_URL names 2 nodes and TRON_SOLIDITY_URL 1.')
    const wrong = { TRON_URL: node.url, TRON_SOLIDITY_URL: node.url }
    const [unsolid] = troubles(await look(wrong))
    expect(unsolid).toMatchObject({
      cause: expect.stringContaining('shows no solid blocks'),
      remedy: expect.stringContaining('TRON_SOLIDITY_URL'),
    })
    node.levers.isSlow = true
    const [slow] = troubles(await look({ TRON_URL: node.url }))
    expect(slow?.cause).toMatch(/runs no constant call, .* CPU timeout/)
  } finally {
    await node.close()
  }
})

test('a token that is not on the network of the node', async () => {
  app.devnet.chain.mine()
  const usdtContract = () => 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'
  const [found] = troubles(await look({}, { usdtContract }))
  expect(found).toMatchObject({ remedy: expect.stringContaining('USDT_CONTRACT') })
})

test('a missing key', async () => {
  const production = { MODE: 'production', SIGNER_KEY_FILE: join(folder, 'none.json') }
  const found = troubles(await look(production))
  expect(found.map(({ cause }) => cause)).toEqual([
    'PostgreSQL archives nothing: with its disk everything since the last copy is lost.',
    'DEPOSIT_XPUB is missing: no deposit address can be made.',
    `SIGNER_KEY_FILE: there is no file ${folder}/none.json.`,
    'SIGNER_PASSPHRASE_FILE is not set.',
  ])
  const file = join(folder, 'open')
  writeFileSync(file, 'x', { mode: 0o644 })
  const open = troubles(await look({ ...production, SIGNER_PASSPHRASE_FILE: file }))
  expect(open.at(-1)).toMatchObject({ remedy: `chmod 600 ${file}` })
})

test('a clock that is off', async () => {
  const runtime = systemRuntime()
  const wallMs = () => runtime.clock.wallMs() - 90_000
  const off = { ...runtime, clock: { ...runtime.clock, wallMs } }
  expect(troubles(await look({}, { runtime: off }))).toMatchObject([
    { name: 'clock', cause: "The clock of this machine is 90 s behind the database's." },
  ])
})

test('a clock that differs from block time', async () => {
  await app.database.sql(
    `update chain.head set block_time = first_seen_at - interval '12 s', number = number + 1`,
  )
  const found = troubles(await look({ BLOCK_MS: '3000' }))
  expect(found).toMatchObject([
    {
      name: 'clock',
      cause: expect.stringContaining('Our clock is 12 s ahead of block time'),
      remedy: expect.stringContaining('time service'),
    },
  ])
})

test('a pooler in transaction mode is the only thing told of the database', async () => {
  const pooler = await openTransactionPooler(app.database.url('ergon_app'))
  const checks = await look({ DATABASE_URL: pooler.url })
  pooler.close()
  expect(troubles(checks)).toMatchObject([
    {
      name: 'pooler',
      cause: expect.stringContaining('transaction mode'),
      remedy: expect.stringContaining('pool_mode = session'),
    },
  ])
  expect(checks.map(({ name }) => name)).not.toContain('schema')
})

test('keys of deposit addresses that the signer does not have', async () => {
  const other =
    'xpub661MyMwAqRbcFtXgS5sYJABqqG9YLmC4Q1Rdap9gSE8NqtwybGhePY2gZ29ESFjqJoCu1Rupje8YtGqsefD265TMg7usUDFdp6W1EGMcet8'
  const [found] = troubles(await look({ DEPOSIT_XPUB: other }))
  expect(found).toMatchObject({
    name: 'signer',
    cause: expect.stringMatching(/^DEPOSIT_XPUB is not the signer's: its first address is T\w+, /),
    remedy: expect.stringContaining('npx ergon keys show'),
  })
})

test('a stake that is not on the chain', async () => {
  const stake = `41${'99'.repeat(20)}`
  await app.database.sql(
    `insert into signing.address (address, purpose, position) values ($1, 'stake', 9)`,
    [stake],
  )
  const found = troubles(await look())
  await app.database.sql(`delete from signing.address where address = $1`, [stake])
  expect(found).toMatchObject([
    { name: 'stake', cause: expect.stringContaining(`${toBase58(stake)} is not on the chain yet`) },
  ])
})

const embedded = { DATABASE_URL: [], DATABASE_API_URL: [] }
const ownServer = { ...embedded, DATABASE_URL: ['postgresql://db-1/ergon'] }

test('an archive that fails, a standby that is behind, and sessions that hang', () => {
  const at = new Date('2026-11-17T10:00:00Z')
  const failed = { lastFailedAt: at, lastFailedFile: '00000001000000000000000A' }
  const behind = { name: 'two', state: 'catchup', lagBytes: 9_000_000n, lagSeconds: 95.4 }
  const health: ServerHealth = {
    archiver: { isOn: true, failures: 3n, lastArchivedAt: null, ...failed, isFailing: true },
    standbys: [{ ...behind, isAwaited: true }],
    hanging: [
      { kind: 'commit', role: 'ergon_app', application: 'ergon-all', seconds: 8 },
      { kind: 'idle', role: 'ergon_admin', application: '', seconds: 61 },
      { kind: 'idle', role: 'ergon_app', application: 'ergon-all', seconds: 1 },
    ],
    folder: undefined,
  }
  const found = checkHealth(health, { MODE: 'production', ...ownServer })
  expect(found.map(({ name, ok, cause }) => [name, ok, cause])).toEqual([
    [
      'archive',
      false,
      'PostgreSQL cannot archive its WAL: 00000001000000000000000A failed at 2026-11-17T10:00:00.000Z, 3 failures in all.',
    ],
    [
      'standby',
      false,
      'The standby two (commits wait for it) is 95 s and 9000000 bytes behind, in state catchup.',
    ],
    ['commits', false, '1 commits wait for a standby, the longest for 8 s: purchases hang.'],
    [
      'commits',
      false,
      'A transaction of ergon_admin (no name) has been idle for 61 s: it holds locks and keeps old rows.',
    ],
  ])
  expect(found.every(({ remedy }) => remedy !== '')).toBe(true)
})

test('a server without an archive is a trouble in production; of the embedded one it is only said', () => {
  const archiver = { isOn: false, failures: 0n, lastArchivedAt: null, lastFailedAt: null }
  const health: ServerHealth = {
    archiver: { ...archiver, lastFailedFile: null, isFailing: false },
    standbys: [],
    hanging: [],
    folder: undefined,
  }
  const look = (MODE: 'production' | 'sandbox', servers = ownServer) =>
    checkHealth(health, { MODE, ...servers })[0]
  const lost = 'everything since the last copy is lost'
  expect(look('production')).toMatchObject({
    ok: false,
    cause: expect.stringContaining(lost),
    remedy: expect.stringContaining('archive_command'),
  })
  expect(look('production', embedded)).toMatchObject({
    ok: true,
    cause: expect.stringContaining(lost),
  })
  expect(look('sandbox')).toMatchObject({ ok: true })
})

test('a disk that is nearly full, once for each folder', async () => {
  const full = { free: 1.5e9, total: 100e9 }
  const found = troubles(await look({}, { disk: (at) => (at === folder ? full : undefined) }))
  expect(found).toMatchObject([
    { name: 'disk', cause: expect.stringContaining('Only 1.5 of 100.0 GB are free for DATA_DIR') },
  ])
})

test('files with secrets that others can read', async () => {
  const made = join(folder, 'secrets.key')
  writeFileSync(made, 'x', { mode: 0o640 })
  const signer = mkdtempSync(join(tmpdir(), 'ergon-doctor-signer-'))
  chmodSync(signer, 0o755)
  const found = troubles(await look({ SIGNER_DIR: signer }))
  rmSync(made)
  expect(found.map(({ remedy }) => remedy)).toEqual([`chmod 600 ${made}`, `chmod 700 ${signer}`])
})

test('pages that were not built, where they are served', async () => {
  const pagesTrouble = () => 'The pages are not built.'
  const [found] = troubles(await look({}, { pagesTrouble }))
  expect(found).toMatchObject({ cause: 'The pages are not built.', remedy: 'npm run build' })
  expect(troubles(await look({ ROLE: 'worker' }, { pagesTrouble }))).toEqual([])
})

test('a port that is taken, unless it is taken by ourselves', async () => {
  const portTrouble = async () => 'Port 8080 is taken by another program. Set PORT to a free port.'
  const [taken] = troubles(await look({}, { portTrouble }))
  expect(taken).toMatchObject({ name: 'port', remedy: expect.stringContaining('8080') })
  expect(troubles(await look({}, { portTrouble, isRunning: async () => true }))).toEqual([])
})

test('a setting that cannot be read stops the examination', async () => {
  expect(await look({ PORT: 'eighty' })).toMatchObject([{ name: 'settings', ok: false }])
})

test('a production without terms, and one whose file is none', async () => {
  const of = (found: { name: string }[]) => found.filter(({ name }) => name === 'terms')
  const production = { MODE: 'production', WEB_URL: 'https://energy.example' }
  expect(of(troubles(await look(production)))).toMatchObject([
    { cause: expect.stringMatching(/^TERMS_FILE is not set/) },
    { cause: expect.stringMatching(/^PRIVACY_FILE is not set/) },
  ])
  const file = join(folder, 'terms.md')
  writeFileSync(file, '# Terms')
  const files = { ...production, TERMS_FILE: file, PRIVACY_FILE: '/etc/passwd' }
  expect(of(troubles(await look(files)))).toMatchObject([
    { cause: expect.stringContaining('PRIVACY_FILE: /etc/passwd ends neither') },
  ])
})
