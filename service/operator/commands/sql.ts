import { type Db, wasRefusedByServer } from '../../db/index.ts'
import { jsonOf, readLine } from '../options.ts'
import { readOnly, typed } from '../store.ts'
import { EXIT, notUnderstood } from './response.ts'

/** `npx ergon sql …`: runs a read-only query. */
export async function runSql(db: Db, args: string[]): Promise<number> {
  const line = readLine(args)
  const [text, ...more] = line.words
  if (!text || more.length > 0) return notUnderstood('sql')
  try {
    const rows = await db.transaction(async (tx) => {
      await tx.query(readOnly)
      return tx.query(typed(text))
    })
    line.say(rows, rows.map(jsonOf).join('\n') || 'No rows.')
    return EXIT.done
  } catch (error) {
    if (!wasRefusedByServer(error)) throw error
    // The statement is the operator's own, so PostgreSQL's words about it are the ones that help.
    console.error(`PostgreSQL refused the statement: ${(error as Error).message}.`)
    return EXIT.refused
  }
}
