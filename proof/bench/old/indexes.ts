import type pg from 'pg'

type Removed = { table: string; name: string; create: string; isIndex: boolean; isForeign: boolean }

const INDEXES = `
  select i.indrelid::regclass::text as table, c.relname as name, pg_get_indexdef(i.indexrelid) as create,
         true as "isIndex", false as "isForeign"
    from pg_index i join pg_class c on c.oid = i.indexrelid
   where i.indrelid = any ($1::regclass[])
     and not exists (select from pg_constraint k where k.conindid = i.indexrelid and k.contype in ('p', 'u'))
   order by 1, 2`

const CONSTRAINTS = `
  select k.conrelid::regclass::text as table, k.conname as name,
         format('alter table %s add constraint %I %s', k.conrelid::regclass, k.conname, pg_get_constraintdef(k.oid)) as create,
         false as "isIndex", k.contype = 'f' as "isForeign"
    from pg_constraint k
   where k.contype in ('p', 'u') and k.conrelid = any ($1::regclass[])
      or k.contype = 'f' and (k.conrelid = any ($1::regclass[]) or k.confrelid = any ($1::regclass[]))
   order by k.contype = 'f' desc, 1, 2`

/**
 * Takes away what has to be kept up with every row, and returns the statements that make it anew, those of
 * one table together: sorting all rows once is several times as fast as finding the place of each. Foreign
 * keys come last, when what they refer to has its key again.
 */
export async function removeIndexes(client: pg.Client, tables: readonly string[]) {
  const { rows: constraints } = await client.query<Removed>(CONSTRAINTS, [tables])
  const { rows: indexes } = await client.query<Removed>(INDEXES, [tables])
  for (const { table, name } of constraints) {
    await client.query(`alter table ${table} drop constraint ${client.escapeIdentifier(name)}`)
  }
  for (const { table, name } of indexes) {
    const [schema] = table.split('.')
    await client.query(`drop index ${schema}.${client.escapeIdentifier(name)}`)
  }
  const removed = [...constraints, ...indexes]
  const foreign = removed.filter(({ isForeign }) => isForeign).map(({ create }) => create)
  const of = (table: string) =>
    removed.filter((one) => one.table === table && !one.isForeign).map(({ create }) => create)
  return { foreign, of }
}
