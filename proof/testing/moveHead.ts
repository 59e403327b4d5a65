import type { TestApp } from './app.ts'

/** Sets the node's head this many minutes ahead of the scanner's cursor; negative moves it back. */
export async function moveHead(app: TestApp, minutes: number): Promise<void> {
  // A block that is read later would bring its own head.
  await app.scanned()
  await app.database.sql(
    `update chain.head set block_time = block_time + make_interval(mins => $1),
                           first_seen_at = first_seen_at + make_interval(mins => $1)`,
    [minutes],
  )
  await app.rooms.chain.lag.look()
}
