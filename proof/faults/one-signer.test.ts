// Proves: signer, signing.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { toHex } from '@ergon/tron'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  SANDBOX_HOT_ADDRESS,
  SANDBOX_MNEMONIC_FILE,
  SANDBOX_STAKE,
} from '../../service/app/sandboxNetwork.ts'
import { connectClient, takeLease } from '../../service/db/index.ts'
import { LEASE_KEY } from '../../service/signing/index.ts'
import { openTestApp, type TestApp } from '../testing/app.ts'
import { COMPILED } from '../testing/compiled.ts'
import { openThief, type Thief } from '../testing/thief.ts'
import { until } from '../testing/until.ts'

// Only one signer works at a time. Its lease is a lock of its database session and ends with it.

const SIGNER = join(import.meta.dirname, '../../service/signer.ts')

type Started = { child: ChildProcess; output(): string; ended: Promise<number | null> }

let app: TestApp
let asker: Thief
let started: Started[]
beforeEach(async () => {
  started = []
  app = await openTestApp()
  asker = await openThief(app)
})
afterEach(async () => {
  for (const { child, ended } of started) {
    child.kill('SIGKILL')
    await ended
  }
  await asker.end()
  await app.close()
})

function start(): Started {
  const child = fork(SIGNER, {
    env: {
      ...COMPILED,
      DATABASE_SIGNER_URL: app.database.url('ergon_signer'),
      SIGNER_MNEMONIC_FILE: SANDBOX_MNEMONIC_FILE,
      SIGNER_STAKES: SANDBOX_STAKE,
      LOG_LEVEL: 'silent',
    },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    execArgv: [],
  })
  let output = ''
  child.stderr!.on('data', (chunk) => {
    output += chunk
  })
  const ended = once(child, 'exit').then(([code]) => code as number | null)
  started.push({ child, output: () => output, ended })
  return started.at(-1)!
}

async function startReady(): Promise<Started> {
  const signer = start()
  const ready = once(signer.child, 'message').then(() => 'ready')
  expect(await Promise.race([ready, signer.ended.then(() => signer.output())])).toBe('ready')
  return signer
}

/** A request that every working signer answers, whatever its policy decides. */
const ask = () => {
  const hot = toHex(SANDBOX_HOT_ADDRESS)
  const value = { owner_address: hot, to_address: hot, amount: 1n }
  return asker.ask('payout', { type: 'TransferContract', value })
}
const leases = () =>
  app.database.sql<{ pid: number }>(
    `select pid from pg_stat_activity
      where datname = current_database() and application_name like 'ergon-signer-lease/%'`,
  )

test('a second one refuses to start while the first holds the lease', async () => {
  const first = await startReady()
  const second = start()
  expect(await second.ended).toBe(1)
  expect(second.output()).toBe(
    'Another signer holds the lease of this database. Only one signs at a time: stop it first.\n',
  )
  expect(first.child.exitCode).toBeNull()
  expect(await asker.answerTo(await ask())).toContain('somebody else')
})

test('the lease of one that was killed ends with its connection', async () => {
  const first = await startReady()
  first.child.kill('SIGKILL')
  await startReady()
  expect(await asker.answerTo(await ask())).toContain('somebody else')
})

test('one that has lost its session takes the lease again and goes on', async () => {
  const { child } = await startReady()
  const [lease] = await leases()
  await app.database.sql(`select pg_terminate_backend($1)`, [lease!.pid])
  expect(await asker.answerTo(await ask())).toContain('somebody else')
  const pid = await until('another session', async () => (await leases())[0]?.pid)
  expect(pid).not.toBe(lease!.pid)
  expect(child.exitCode).toBeNull()
})

test('a session of its own that the server still believes in does not stand in its way', async () => {
  const urls = [app.database.url('ergon_signer')]
  const lease = { urls, name: 'ergon-signer-lease/me', key: LEASE_KEY, waitMs: 1_000 }
  const lost = await takeLease(lease)
  const taken = await takeLease(lease)
  expect(taken?.isHeld()).toBe(true)
  await until('the first lease is lost', () => !lost!.isHeld())
  expect(await takeLease({ ...lease, name: 'ergon-signer-lease/other' })).toBeUndefined()
  await taken!.end()
})

test('one whose lease went to another writes no answer and ends', async () => {
  const first = await startReady()
  const other = await connectClient({ connectionString: app.database.url('ergon_signer') })
  const [lease] = await leases()
  first.child.kill('SIGSTOP')
  await app.database.sql(`select pg_terminate_backend($1)`, [lease!.pid])
  await other.query('select pg_advisory_lock($1, $2)', [...LEASE_KEY])
  const txid = await ask()
  first.child.kill('SIGCONT')
  expect(await first.ended).toBe(1)
  expect(first.output()).toContain('Another signer holds the lease')
  const answers = await app.database.sql(
    `select from signing.answer a join signing.request r on r.id = a.request_id where r.txid = $1`,
    [txid],
  )
  expect(answers).toEqual([])
  await other.end()
})
