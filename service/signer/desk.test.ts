import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseAddress } from '@ergon/tron'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../proof/testing/database.ts'
import { type Db, openDb } from '../db/index.ts'
import { readSettings, silentLog, systemRuntime } from '../kernel/index.ts'
import { publicKeyOf, type WaitingRow } from '../signing/index.ts'
import { createDesks } from './desk.ts'
import { createSignerFiles } from './init.ts'
import type { KeyRing } from './keyRing.ts'
import { createSignedSums } from './signedSums.ts'
import { readTrust, writeTrust } from './trust.ts'
import { changed, WAIT_MS } from './trustChange.ts'

const HOT = 'TKUwMQUhHTADfAtfG4gAHwXFGa3PYDieMJ'
const COLD = 'TAyLwcYDc9dVzR1mTUYufzwheeTzhagEH7'
const runtime = systemRuntime()
let database: TestDatabase
let db: Db
beforeAll(async () => {
  database = await createTestDatabase()
  const urls = [database.url('ergon_signer')]
  db = await openDb({ urls, connections: 1, runtime, log: silentLog, name: 'test' })
})
afterAll(async () => {
  await db.close()
  await database.drop()
})

/** Files in which a treasury destination was added just now: it counts after a day. */
function newFiles(): string {
  const folder = join(mkdtempSync(join(tmpdir(), 'ergon-desk-')), 'signer')
  const now = Date.now()
  const keys = ['1', '2'].map((digit) => ({
    operator: `${digit}@example.com`,
    key: publicKeyOf(digit.repeat(64)),
  }))
  createSignerFiles(folder, { chain: 'ab'.repeat(32), hot: HOT, keys, now, isFirst: true })
  const change = { add: 'treasury', address: COLD, hourlyTrx: 10, dailyTrx: 20 } as const
  const added = changed(readTrust(folder), change, { now, signatures: [] })
  if ('refused' in added) throw new Error(added.refused)
  writeTrust(folder, added.trust)
  return folder
}

async function treasuryIn(mode: 'production' | 'sandbox'): Promise<string[]> {
  const settings = readSettings({ SIGNER_DIR: newFiles(), MODE: mode })
  const ring = { hot: parseAddress(HOT) } as unknown as KeyRing
  const desks = createDesks({ db, runtime: systemRuntime(), log: silentLog, ring, settings })
  const request = { purpose: 'treasury' } as WaitingRow
  const sums = createSignedSums(Date.now, {} as never)
  return [...(await desks.open([request])).treasury(sums).keys()]
}

test('the database cannot move the clock of a signer in production', async () => {
  await database.sql('update db.clock set ahead_ms = $1', [WAIT_MS + 60_000])
  expect(await treasuryIn('sandbox')).toEqual([parseAddress(COLD)])
  expect(await treasuryIn('production')).toEqual([])
})
