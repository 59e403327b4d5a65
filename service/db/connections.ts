import pg from 'pg'

// The only place that makes connections. An 'error' event without a listener ends the process, so
// each connection keeps a listener of ours. It can ignore the error: the running statement fails, or
// the next one does.

/**
 * A pool. pg-pool removes its own error listener when it hands out a connection, and the caller's
 * listener follows one turn later; a session that the server ends in between would end the process.
 */
export function createPool(config: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool(config)
  pool.on('connect', ignoreErrors)
  return pool
}

/** A connection without a pool, for a few statements. */
export async function connectClient(config: pg.ClientConfig): Promise<pg.Client> {
  const client = new pg.Client(config)
  ignoreErrors(client)
  try {
    await client.connect()
    return client
  } catch (error) {
    void client.end().catch(() => {})
    throw error
  }
}

function ignoreErrors(client: pg.ClientBase) {
  client.on('error', () => {})
}
