import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { RETENTION } from '../service/app/retention.ts'
import { createTestDatabase, type TestDatabase } from './testing/database.ts'

// Every table says in its schema how long its rows are kept and why; the page for operators says the same.

const UNITS_MS: Record<string, number> = { hour: 3_600_000, day: 86_400_000 }
const PAGE = 'docs/operating/retention.md'

type Table = { name: string; comment: string | null }

let database: TestDatabase
let tables: Table[]
beforeAll(async () => {
  database = await createTestDatabase()
  tables = await database.sql<Table>(`
    select n.nspname || '.' || c.relname as name, obj_description(c.oid, 'pg_class') as comment
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind in ('r', 'p') and not c.relispartition
       and n.nspname not in ('pg_catalog', 'information_schema') and n.nspname not like 'pg_%'
     order by (n.nspname || '.' || c.relname) collate "C"`)
})
afterAll(() => database.drop())

function said({ name, comment }: Table) {
  const [, kept, why] =
    /^Kept ((?:for ever|while |until |\d+ ).*?): (.+)\.$/s.exec(comment ?? '') ?? []
  return { name, kept, why }
}

test('every table says how long its rows are kept, and why', () => {
  expect(tables.length).toBeGreaterThan(80)
  expect(tables.map(said).filter(({ kept, why }) => !kept || !why)).toEqual([])
})

test('the page for operators has the same table', () => {
  const rows = tables.map(said).map(({ name, kept, why }) => `| \`${name}\` | ${kept} | ${why} |`)
  const shown = readFileSync(PAGE, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| `'))
  expect(shown).toEqual(rows)
})

test('what goes by age is deleted by the one loop, at the age that the table names', () => {
  const byAge = tables.map(said).flatMap(({ name, kept = '' }) => {
    const [, count, unit] = /^(\d+) (day|hour)s?\b/.exec(kept) ?? []
    const isUntil = kept.startsWith('until ')
    return count || isUntil ? [[name, isUntil ? 0 : Number(count) * UNITS_MS[unit!]!]] : []
  })
  expect(RETENTION.map(({ table, keptMs }) => [table, keptMs]).toSorted()).toEqual(byAge)
})

test('orders and movements stay for ever, in tables without partitions', async () => {
  const kinds = await database.sql<{ relkind: string }>(
    `select relkind from pg_class
      where oid in ('ledger.movement'::regclass, 'orders.purchase_order'::regclass)`,
  )
  expect(kinds).toEqual([{ relkind: 'r' }, { relkind: 'r' }])
  const goes = RETENTION.map(({ table }) => table)
  expect(goes).not.toContain('ledger.movement')
  expect(goes).not.toContain('orders.purchase_order')
})
