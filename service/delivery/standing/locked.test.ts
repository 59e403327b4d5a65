import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../proof/testing/database.ts'
import { hold } from '../../../proof/testing/holdAccount.ts'
import { type Db, openDb } from '../../db/index.ts'
import { silentLog, systemRuntime } from '../../kernel/index.ts'
import { lockedStanding } from './locked.ts'

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

test('a transaction that waited for an address sees the move that was requested meanwhile', async () => {
  await database.sql(`insert into delivery.standing (address, wanted) values ('T1', 131000)`)
  // As another process does: the row is locked and the move written in one transaction.
  const move = {
    text: `with locked as (select address from delivery.standing where address = $1 for no key update)
           insert into delivery.standing_move
             (txid, address, kind, owner_address, stake_sun, signing_request, expires_at, state)
           select 'ab', address, 'delegate', 'T2', 1, gen_random_uuid(), now(), 'sent' from locked`,
    values: ['T1'],
  }
  await hold(database, move, async ({ inFlight, commit }) => {
    const locked = db.transaction((tx) => lockedStanding(tx, 'T1'))
    await inFlight()
    await commit()
    expect(await locked).toMatchObject({ underWay: true })
  })
})
