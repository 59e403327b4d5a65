import { statement, type Tx } from '../../service/db/index.ts'

const countTouched = statement<{ rows: bigint }>(
  'test.countTouched',
  `select coalesce(sum(seq_tup_read + coalesce(idx_tup_fetch, 0)), 0)::bigint as rows
     from pg_stat_xact_user_tables where schemaname = $1 and relname like $2`,
)

/** How many rows of a table, or of all tables with this prefix, work in a transaction reads. */
export async function rowsTouched(
  tx: Tx,
  { schema, table }: { schema: string; table: string },
  work: () => Promise<unknown>,
): Promise<number> {
  const count = async () => (await tx.query(countTouched, [schema, `${table}%`]))[0]!.rows
  const before = await count()
  await work()
  return Number((await count()) - before)
}
