import { invariants, proveAll } from '../../service/audit/index.ts'
import type { TestDatabase } from './database.ts'

/**
 * Checks the auditor's invariants from outside, and that every outgoing transaction has its row.
 * Returns the violations.
 */
export async function brokenInvariants(database: TestDatabase): Promise<string[]> {
  const broken: string[] = []
  const books = {
    query: <Row>({ text }: { text: string }, values: readonly unknown[] = []) =>
      database.sql<Row>(text, [...values]),
  }
  for (const { name, promise, checks } of invariants) {
    for (const check of checks) {
      const rows = await proveAll(books, check)
      const shown = rows.map((row) => JSON.stringify(row)).join(' ')
      if (rows.length > 0) broken.push(`${name} ${promise}: ${shown}`)
    }
  }
  const left = await database.sql<{ txid: string; contract: string }>(
    `select txid, contract from signing.outflow where looked_at is null`,
  )
  for (const { txid, contract } of left) broken.push(`M22 ${contract} ${txid} has no row`)
  return broken
}
