import type { Db } from '../../db/index.ts'
import { jsonOf, readLine } from '../options.ts'
import { readOnly, typed } from '../store.ts'
import { notUnderstood } from './response.ts'

/** `npx ergon sql …`: runs a read-only query. */
export async function runSql(db: Db, args: string[]): Promise<number> {
  const line = readLine(args)
  const [text, ...more] = line.words
  if (!text || more.length > 0) return notUnderstood('sql')
  const rows = await db.transaction(async (tx) => {
    await tx.query(readOnly)
    return tx.query(typed(text))
  })
  line.say(rows, rows.map(jsonOf).join('\n'))
  return 0
}
