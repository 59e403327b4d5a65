import type { TestApp } from './app.ts'

/** As if the node were so many minutes ahead of what the scanner has read; negative takes it back. */
export async function moveHead(app: TestApp, minutes: number): Promise<void> {
  await app.database.sql(
    `update chain.head set block_time = block_time + make_interval(mins => $1),
                           first_seen_at = first_seen_at + make_interval(mins => $1)`,
    [minutes],
  )
  await app.rooms.chain.lag.look()
}
