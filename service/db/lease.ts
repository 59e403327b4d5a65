import { connectClient } from './connections.ts'
import { findPrimary } from './servers.ts'

/** A lock that one session of one process holds, and that ends with that session. */
export type Lease = {
  /** Process id of the session at the server, as in pg_locks. */
  pid: number
  isHeld(): boolean
  /** Ends the session of a lease that the server no longer grants. */
  lose(): void
  end(): Promise<void>
}

const LOCK_TIMEOUT = '55P03'
/** Ends our earlier session: after a network failure the server may still consider it alive. */
const END_EARLIER = `
  select pg_terminate_backend(pid, 1000) from pg_stat_activity
   where application_name = $1 and usename = current_user and pid <> pg_backend_pid()`

/**
 * Takes the lease, or returns undefined when another process still holds it after the waiting time. A
 * process that has just died holds it until the server notices.
 */
export async function takeLease(options: {
  urls: readonly string[]
  /** Unique to this process: an earlier session with this name is ended first. */
  name: string
  key: readonly [number, number]
  waitMs: number
}): Promise<Lease | undefined> {
  const { urls, name, key, waitMs } = options
  const client = await connectClient({
    connectionString: await findPrimary(urls),
    application_name: name,
    keepAlive: true,
    connectionTimeoutMillis: 10_000,
  })
  let held = true
  client.once('end', () => {
    held = false
  })
  const end = async () => {
    held = false
    await client.end().catch(() => {})
  }
  try {
    await client.query(END_EARLIER, [name])
    await client.query(`set lock_timeout = ${waitMs}`)
    await client.query('select pg_advisory_lock($1, $2)', [...key])
    const { rows } = await client.query('select pg_backend_pid() as pid')
    const lose = () => void end()
    return { pid: rows[0].pid, isHeld: () => held, lose, end }
  } catch (error) {
    await end()
    if ((error as { code?: string }).code === LOCK_TIMEOUT) return undefined
    throw error
  }
}
