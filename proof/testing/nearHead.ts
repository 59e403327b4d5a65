import type { TestDatabase } from './database.ts'

/** Where no scanner runs: as if one had read every block and just asked a node for its head. */
export async function seeHead(database: TestDatabase): Promise<void> {
  await database.sql(
    `insert into chain.cursor (number, block_id, block_time, solid_number, solid_id, solid_time)
     values (1, '', now(), 1, '', '2999-01-01') on conflict (only_row) do nothing`,
  )
  await database.sql(
    `insert into chain.head as h (number, block_time, first_seen_at, seen_at)
     values (1, now(), now(), now() + interval '1 day')
     on conflict (only_row) do update set number = h.number + 1`,
  )
}
