/** 16 MB each: as many as the server keeps. */
const SEGMENTS = 64

/**
 * A server that has run for a while uses the segments of its log again. A new one writes each with
 * zeros first, while everybody waits: at 5,000 purchases a second that is once a second, and whoever
 * is faster waits more often. What is measured is the former.
 */
export async function warmLog(admin: { query(text: string): Promise<unknown> }): Promise<void> {
  for (let segment = 0; segment < SEGMENTS; segment++) {
    // Something has to be in a segment before it can be left.
    await admin.query(`select pg_logical_emit_message(false, 'bench', '')`)
    await admin.query('select pg_switch_wal()')
  }
  await admin.query('checkpoint')
}
