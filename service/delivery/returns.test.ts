import { toBase58 } from '@ergon/tron'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../proof/testing/database.ts'
import { type Db, openDb } from '../db/index.ts'
import { silentLog, systemRuntime } from '../kernel/index.ts'
import { noteBlock } from './facts.ts'

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

const owner = `41${'a'.repeat(40)}`
const receiver = `41${'b'.repeat(40)}` as const
const idOf = (kind: number, n: number) => `00000000-0000-7000-8000-00000000${kind}00${n}`

/** A marketplace's n-th delegation; a higher number is younger. */
async function delegated(n: number): Promise<void> {
  const at = new Date(Date.UTC(2030, 0, 1, 10, n))
  await database.sql(
    `insert into delivery.request (id, receiver_address, energy, duration_seconds, deadline_at, state, trace, created_at)
     values ($1, $2, 65000, 3600, $3, 'delivered', '', $3)`,
    [idOf(1, n), toBase58(receiver), at],
  )
  await database.sql(
    `insert into delivery.part (id, request_id, provider, energy, state) values ($1, $2, 'tronzap', 65000, 'delivered')`,
    [idOf(2, n), idOf(1, n)],
  )
  await database.sql(
    `insert into delivery.attempt (id, part_id, provider, state, energy, created_at)
     values ($1, $2, 'tronzap', 'delivered', 65000, $3)`,
    [idOf(3, n), idOf(2, n), at],
  )
  await database.sql(
    `insert into delivery.delegation
       (txid, attempt_id, provider, owner_address, receiver_address, stake_sun, energy, block_number, delegated_at, reclaim_at)
     values ($1, $2, 'tronzap', $3, $4, 6500, 65000, $5, $6, $6)`,
    [`t${n}`, idOf(3, n), owner, toBase58(receiver), n, at],
  )
}

test('two equal delegations that a marketplace takes back in one block have both come back', async () => {
  for (const n of [1, 2, 3]) await delegated(n)
  const back = { kind: 'undelegate' as const, owner, receiver, stake: 6500n }
  const delegations = [
    { ...back, txid: 'r1' },
    { ...back, txid: 'r2' },
  ]
  const block = { number: 9, time: new Date(Date.UTC(2030, 0, 1, 11, 30)), delegations }
  await db.transaction((tx) => noteBlock(tx, block as never))
  const rows = await database.sql(
    `select txid, reclaim_block::int as block from delivery.delegation order by txid`,
  )
  expect(rows).toEqual([
    { txid: 't1', block: 9 },
    { txid: 't2', block: 9 },
    { txid: 't3', block: null },
  ])
})
