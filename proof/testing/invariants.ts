import { invariants } from '../../service/audit/index.ts'
import type { TestDatabase } from './database.ts'

/** Every invariant the auditor knows, asked of a database from outside. Empty when all hold. */
export async function brokenInvariants(database: TestDatabase): Promise<string[]> {
  const broken: string[] = []
  for (const { name, promise, broken: statement } of invariants) {
    const rows = await database.sql<{ broken: string }>(statement.text)
    if (rows.length > 0)
      broken.push(`${name} ${promise}: ${rows.map((row) => row.broken).join(' ')}`)
  }
  return broken
}
