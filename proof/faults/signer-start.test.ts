// Proves: signer, app.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { toBase58 } from '@ergon/tron'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { awaitSameKeys } from '../../service/app/sameKeys.ts'
import {
  SANDBOX_DEPOSIT_XPUB,
  SANDBOX_MNEMONIC_FILE,
  SANDBOX_STAKE,
} from '../../service/app/sandboxNetwork.ts'
import { silentLog, systemRuntime } from '../../service/kernel/index.ts'
import { createTestDatabase, type TestDatabase } from '../testing/database.ts'
import { stretched } from '../testing/stretched.ts'
import { until } from '../testing/until.ts'

// The signer as the manual starts it, and a service that starts beside it.

const ROOT = join(import.meta.dirname, '../..')
let database: TestDatabase
beforeEach(async () => {
  database = await createTestDatabase()
})
afterEach(() => database.drop())

const sessions = () =>
  database.sql(
    `select from pg_stat_activity where datname = current_database() and application_name like 'ergon-signer%'`,
  )

test('TERM to npm run signer ends the signer', { timeout: stretched(60_000) }, async () => {
  const child = spawn('npm', ['run', '--silent', 'signer'], {
    cwd: ROOT,
    stdio: 'ignore',
    env: {
      PATH: `${join(ROOT, 'node_modules/.bin')}:${process.env.PATH}`,
      DATABASE_SIGNER_URL: database.url('ergon_signer'),
      SIGNER_MNEMONIC_FILE: SANDBOX_MNEMONIC_FILE,
      SIGNER_STAKES: SANDBOX_STAKE,
    },
  })
  const ended = once(child, 'exit')
  try {
    await until(
      'it has published its keys',
      async () => {
        const rows = await database.sql(`select from signing.address where purpose = 'stake'`)
        return rows.length > 0 && (await sessions()).length > 0
      },
      40_000,
    )
  } finally {
    child.kill('SIGTERM')
  }
  await ended
  await until('its sessions are over', async () => (await sessions()).length === 0)
})

const start = (say: string[], isStopping = () => false) =>
  awaitSameKeys(
    {
      databaseUrls: [database.url('ergon_app')],
      depositXpub: SANDBOX_DEPOSIT_XPUB,
      runtime: systemRuntime(),
      log: silentLog,
    },
    { isStopping, say: (text) => void say.push(text) },
  )
const publish = (address: string) =>
  database.sql(`insert into signing.deposit_root (first_address) values ($1)`, [address])

test('a start waits for the signer and says so; a signal ends the wait', async () => {
  const said: string[] = []
  let stops = false
  const waiting = start(said, () => stops)
  await until('it says so', () => said.some((text) => text.includes('Waiting for the signer')))
  stops = true
  await expect(waiting).rejects.toThrow('Stopped while starting')
})

test('a start with the keys of another signer is refused, and names both addresses', async () => {
  const other = `41${'99'.repeat(20)}`
  await publish(other)
  await expect(start([])).rejects.toThrow(toBase58(other))
})
