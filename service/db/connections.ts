import pg from 'pg'

// The only place that makes connections. An 'error' event that nobody listens to ends the process, so
// each connection has a listener of ours for all its life. Nothing is lost with the event: the
// statement under way fails, or the next one does.

/**
 * A pool. pg-pool takes its own listener off a connection when it hands it to an asker, who listens
 * only a turn later; a session that the server ends in the same read would end the process.
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
