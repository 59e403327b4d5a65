import { invariants } from '../../service/audit/index.ts'
import type { TestDatabase } from './database.ts'

/**
 * Every invariant the auditor knows, asked of a database from outside, and that nothing of ours left
 * without its row. Empty when all hold.
 */
export async function brokenInvariants(database: TestDatabase): Promise<string[]> {
  const broken: string[] = []
  for (const { name, promise, broken: statement } of invariants) {
    const rows = await database.sql<{ broken: string }>(statement.text)
    if (rows.length > 0)
      broken.push(`${name} ${promise}: ${rows.map((row) => row.broken).join(' ')}`)
  }
  const left = await database.sql<{ txid: string; contract: string }>(
    `select txid, contract from signing.outflow where looked_at is null`,
  )
  for (const { txid, contract } of left) broken.push(`M22 ${contract} ${txid} has no row`)
  return broken
}
