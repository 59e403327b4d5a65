import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { appendRecovered, createPayoutLog, readPayoutLog, recordPayout } from './payoutLog.ts'

const PAYOUT = '00000000-0000-7000-8000-000000000001'
const line = (attempt: number, txid: string, expiration = 1_000) => {
  return { payout: PAYOUT, attempt, txid, expiration }
}
let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ergon-payout-log-'))
  createPayoutLog(folder, { chain: 'chain', hot: 'hot' })
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('the last attempt is the highest one, in whatever order its lines were recovered', () => {
  recordPayout(folder, line(3, 'c'))
  const signed = [line(2, 'b'), line(1, 'a')]
  appendRecovered(folder, { signed, cancelled: [], rebuiltAt: 5 })
  expect(readPayoutLog(folder).lastOf(PAYOUT)).toMatchObject({ attempt: 3, txid: 'c' })
})

test('of one attempt the line that expires last counts', () => {
  recordPayout(folder, line(1, 'late', 2_000))
  appendRecovered(folder, { signed: [line(1, 'early')], cancelled: [], rebuiltAt: 5 })
  const log = readPayoutLog(folder)
  expect(log.lastOf(PAYOUT)).toMatchObject({ txid: 'late' })
  expect([[...log.own.keys()], [...log.txids]]).toEqual([['late'], ['late', 'early']])
})
