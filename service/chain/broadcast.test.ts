import type { NodeClient } from '@ergon/tron'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../proof/testing/database.ts'
import { type Db, openDb } from '../db/index.ts'
import { silentLog, systemClock, systemRuntime } from '../kernel/index.ts'
import { createBroadcasts } from './broadcast.ts'

let database: TestDatabase
let db: Db
beforeAll(async () => {
  database = await createTestDatabase()
  const urls = [database.url('ergon_app')]
  db = await openDb({
    urls,
    connections: 2,
    runtime: systemRuntime(),
    log: silentLog,
    name: 'test',
  })
})
afterAll(async () => {
  await db.close()
  await database.drop()
})
beforeEach(() => database.sql('delete from chain.broadcast; delete from chain.cursor'))

/** Signed bytes; the text is what a node receives. */
const signed = (txid: string, expiresInSeconds: number, sentSecondsAgo: number | null) =>
  database.sql(
    `insert into chain.broadcast (txid, signed_bytes, expires_at, state, last_sent_at)
     values ($1, convert_to($1, 'UTF8'), clock_timestamp() + make_interval(secs => $2), 'pending',
             clock_timestamp() - make_interval(secs => $3))`,
    [txid, expiresInSeconds, sentSecondsAgo],
  )

/** What one round sends, in order. */
async function sentInARound(): Promise<string[]> {
  const sent: string[] = []
  const broadcast: NodeClient['broadcast'] = async (bytes) => {
    sent.push(Buffer.from(bytes).toString())
    return { accepted: true }
  }
  const node = { broadcast } as NodeClient
  const parts = {
    db,
    node,
    clock: systemClock(),
    log: silentLog,
    takeSigned: async () => [],
    signedDue: 'false',
  }
  await createBroadcasts(parts).loop.runOnce()
  return sent.toSorted()
}

test('bytes past their expiration are never sent again, by our clock or by the newest block', async () => {
  await signed('dead', -1, 60)
  await signed('alive', 30, 60)
  expect(await sentInARound()).toEqual(['alive'])
  await signed('new', 30, null)
  await database.sql(
    `insert into chain.cursor (number, block_id, block_time, solid_number, solid_id, solid_time)
     values (1, '', clock_timestamp() + interval '40 seconds', 1, '', clock_timestamp())`,
  )
  expect(await sentInARound()).toEqual([])
})

test('what was never sent goes first, then what was sent longest ago, whatever expires sooner', async () => {
  for (let place = 0; place < 100; place++) await signed(`often ${place}`, 20, 10)
  await signed('longest ago', 50, 40)
  await signed('never', 50, null)
  const sent = await sentInARound()
  expect(sent).toHaveLength(100)
  expect(sent).toEqual(expect.arrayContaining(['longest ago', 'never']))
})
