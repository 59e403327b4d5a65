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
