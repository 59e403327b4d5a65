/** WAL segments of 16 MB: as many as the server keeps. */
const SEGMENTS = 64

/**
 * Fills the WAL once, because a server that has run for a while reuses its segments. A new server
 * first writes each segment with zeros while all commits wait, at 5,000 purchases a second once a
 * second; that would slow the faster variant more often.
 */
export async function warmLog(admin: { query(text: string): Promise<unknown> }): Promise<void> {
  for (let segment = 0; segment < SEGMENTS; segment++) {
    // A segment must contain something before it can be switched.
    await admin.query(`select pg_logical_emit_message(false, 'bench', '')`)
    await admin.query('select pg_switch_wal()')
  }
  await admin.query('checkpoint')
}
