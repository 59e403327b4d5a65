import { readFileSync } from 'node:fs'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../proof/testing/database.ts'

const NODES = 8
const nodes: pg.Client[] = []
let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
  for (let node = 0; node < NODES; node++) {
    const client = new pg.Client({ connectionString: database.url('ergon_app') })
    await client.connect()
    nodes.push(client)
  }
})
afterAll(async () => {
  for (const node of nodes) await node.end()
  await database.drop()
})

test('nodes that start together prepare the same days, each day once', async () => {
  const answers = await Promise.all(
    nodes.map((node) =>
      node.query(`select events.prepare_days('2040-01-01', '2040-01-10')::int as made`),
    ),
  )
  const made = answers.map(({ rows }) => rows[0].made)
  expect(made.reduce((sum, one) => sum + one, 0)).toBe(10)
})

test('days younger than 29 days are not dropped, whatever the caller asks for', async () => {
  const [young] = await database.sql<{ day: string }>(
    `select to_char(now() - interval '28 days', 'YYYYMMDD') as day`,
  )
  await nodes[0]!.query(
    `select events.prepare_days((now() - interval '40 days')::date, now()::date)`,
  )
  for (let call = 0; call < 60; call++) {
    await nodes[0]!.query(`select events.drop_before(now() + interval '1 year', 1000)`)
  }
  const kept = await database.sql<{ name: string }>(
    `select relname as name from pg_class where relname ~ '^event_[0-9]{8}$' order by relname`,
  )
  expect(kept.map(({ name }) => name)).toContain(`event_${young!.day}`)
  const [mark] = await database.sql(
    `select since <= now() - interval '28 days' as early from events.kept`,
  )
  expect(mark).toEqual({ early: true })
})

test.each(['20261118T0910-feed', '20261118T0911-feed-index'])(
  'migration %s does not make writers wait behind a transaction that reads',
  async (name) => {
    await database.sql('drop index if exists events.event_of_account')
    const text = readFileSync(new URL(`schema/${name}/up.sql`, import.meta.url), 'utf8')
    const admin = new pg.Client({ connectionString: database.url('ergon_admin') })
    await admin.connect()
    const [other] = nodes
    await other!.query('begin')
    await other!.query(
      `select events.emit_one(gen_random_uuid(), gen_random_uuid(), 'x', 'x', now(), 'x', '{}')`,
    )
    try {
      await expect(admin.query(`begin; ${text}; commit`)).rejects.toThrow('lock timeout')
      await admin.query('rollback')
      await other!.query('rollback')
      await admin.query(`begin; ${text}; commit`)
    } finally {
      await other!.query('rollback')
      await admin.end()
    }
  },
)
