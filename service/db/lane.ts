import pg from 'pg'
import type { Doors } from '../kernel/index.ts'
import type { Queryable } from './pool.ts'
import type { Servers } from './servers.ts'
import type { Statement } from './statement.ts'

/** The connection while statements are on it; it goes back to the pool with the last of them. */
type Held = {
  client: Promise<pg.PoolClient>
  underWay: number
  broken: Error | undefined
}

type Parts = {
  /** The lane's own, of one connection that sends what it is given at once. */
  pool: pg.Pool
  /** Any other connection. */
  beside: pg.Pool
  doors: Doors
  servers: Servers
}

/** What pg keeps to itself, and our own way to end a connection at once. */
type Inside = { processID: number | null; cut(): void }

const SHUTDOWN = '57P'
/** The first half of a lock that a session on a lane holds; the second is its process at the server. */
const SESSION = 1_701_996_910

/**
 * Statements on one connection, in the order in which they come, each in a transaction of its own. One
 * may come before the last has ended: it lies at the server then, which goes on without waiting for us.
 */
export function createLane({ pool, beside, doors, servers }: Parts): Queryable {
  let held: Held | undefined

  pool.on('connect', (client) => {
    const values = [SESSION]
    const text = 'select pg_advisory_lock($1, pg_backend_pid())'
    client.query({ name: 'db.holdSession', text, values }).catch(() => {})
  })

  function hold(): Held {
    const taken: Held = { client: pool.connect(), underWay: 0, broken: undefined }
    void taken.client.then(
      (client) => client.on('error', (error) => leave(taken, error)),
      (error) => leave(taken, error),
    )
    return taken
  }

  /** Nobody else gets on it. */
  function leave(taken: Held, error: Error) {
    taken.broken ??= error
    if (held === taken) held = undefined
  }

  async function giveBack({ client, broken }: Held) {
    const connected = await client.catch(() => undefined)
    connected?.removeAllListeners('error')
    connected?.release(broken)
  }

  /**
   * A server that we have lost works off what it was given before it notices. Nobody can say what became
   * of a statement before that, so the lock of its session is waited for: it goes with the session.
   */
  async function untilOver(taken: Held) {
    const client = (await taken.client.catch(() => undefined)) as Inside | undefined
    client?.cut()
    if (!client?.processID) return
    const values = [SESSION, client.processID]
    const text = 'select pg_advisory_xact_lock($1, $2)'
    await beside.query({ name: 'db.awaitSession', text, values }).catch(() => {})
  }

  return {
    async query<Row>({ name, text }: Statement<Row>, values: readonly unknown[] = []) {
      await doors.step(`commit after ${name}`)
      held ??= hold()
      const mine = held
      mine.underWay += 1
      try {
        const client = await mine.client
        const result = await client.query({ name, text, values: values as unknown[] })
        await doors.step(`committed after ${name}`)
        return result.rows as Row[]
      } catch (error) {
        const isRefused = isOfStatement(error)
        if (servers.isLost(error) || !isRefused) leave(mine, error as Error)
        if (!isRefused) await untilOver(mine)
        throw error
      } finally {
        mine.underWay -= 1
        if (mine.underWay === 0) {
          if (held === mine) held = undefined
          void giveBack(mine)
        }
      }
    },
  }
}

/** The server refused a statement and is ready for the next; any other error is the connection's. */
function isOfStatement(error: unknown): boolean {
  return error instanceof pg.DatabaseError && !error.code?.startsWith(SHUTDOWN)
}
