import pg from 'pg'
import type { Doors } from '../kernel/index.ts'
import { createPool } from './connections.ts'
import type { Queryable } from './pool.ts'
import { NoDatabase, type Servers } from './servers.ts'
import type { Statement } from './statement.ts'
import type { Still } from './still.ts'

/** The connection was lost, and the server could not be asked when it has done with what it was given. */
export class Unsettled extends Error {
  override name = 'Unsettled'
}

/** The connection while statements are on it; it goes back to the pool with the last of them. */
type Held = {
  client: Promise<pg.PoolClient>
  underWay: number
  broken: Error | undefined
  onError(error: Error): void
}

type Parts = {
  config: pg.PoolConfig
  /** Connections of the other kind. */
  beside: pg.Pool
  doors: Doors
  servers: Servers
  still: Still
}

/** What `servers` adds to a connection. */
type Cuttable = { cut(): void }

const ASKED_MAX = 3
/** Of the connection, not of a statement: the server is going, or ends the session. */
const OF_CONNECTION = /^(08|25P0|57P)/

const holdSession = { name: 'db.holdSession', text: 'select pg_advisory_lock($1, $2)' }
const endSession = {
  name: 'db.endSession',
  text: `select pg_terminate_backend(pid) from pg_locks
          where locktype = 'advisory' and granted and classid::bigint = $1 and objid::bigint = $2
            and database = (select oid from pg_database where datname = current_database())`,
}
const awaitSession = { name: 'db.awaitSession', text: 'select pg_advisory_xact_lock($1, $2)' }
/** The first half of the lock that a session holds; the second is drawn for each. */
const SESSION = 1_701_996_910

/**
 * Statements on one connection, in the order in which they come, each in a transaction of its own. One
 * may come before the last has ended: it lies at the server then, which goes on without waiting for us.
 */
export function createLane({ config, beside, doors, servers, still }: Parts) {
  const locks = new WeakMap<object, number>()
  // The pool waits for it, although its types do not say so.
  const onConnect = beginSession as (client: pg.ClientBase) => void
  const pool = createPool({ ...config, max: 1, pipeline: true, onConnect })
  let held: Held | undefined

  async function beginSession(client: pg.ClientBase) {
    const lock = Buffer.from(doors.random.bytes(4)).readUInt32BE() >>> 1
    try {
      await client.query({ ...holdSession, values: [SESSION, lock] })
    } catch (error) {
      throw new NoDatabase('no session could be begun', { cause: error })
    }
    locks.set(client, lock)
  }

  function hold(): Held {
    const onError = (error: Error) => leave(taken, error)
    const taken: Held = { client: pool.connect(), underWay: 0, broken: undefined, onError }
    void taken.client.then((client) => client.on('error', onError), onError)
    return taken
  }

  /** Nobody else gets on it. */
  function leave(taken: Held, error: Error) {
    taken.broken ??= error
    if (held === taken) held = undefined
  }

  async function giveBack({ client, broken, onError }: Held) {
    const connected = await client.catch(() => undefined)
    connected?.off('error', onError)
    connected?.release(broken)
  }

  /**
   * A server that we have lost works off what it was given before it notices, if it ever does. Nobody can
   * say what became of a statement before its session is over. So the session is ended, and the lock is
   * waited for that goes with it.
   */
  async function untilOver(client: object, cause: unknown) {
    const lost = client as Cuttable
    lost.cut()
    const values = [SESSION, locks.get(client)]
    for (let asked = 1; ; asked++) {
      try {
        await beside.query({ ...endSession, values })
        await beside.query({ ...awaitSession, values })
        return
      } catch {
        // What lost one connection may have lost those beside it: each is found out by using it.
        if (asked === ASKED_MAX)
          throw new Unsettled('the server cannot be asked what it has done', { cause })
      }
    }
  }

  const lane: Queryable = {
    async query<Row>({ name, text, moves }: Statement<Row>, values: readonly unknown[] = []) {
      await doors.step(`commit after ${name}`)
      held ??= hold()
      const mine = held
      mine.underWay += 1
      let hasBegun = false
      let lost: unknown
      try {
        const client = await mine.client
        if (moves) {
          hasBegun = true
          await still.begin(client)
        }
        const sent = client.query({ name, text, values: values as unknown[] })
        const result = await sent.catch(async (error) => {
          leave(mine, error)
          if (!isOfStatement(error)) await untilOver(client, error)
          throw error
        })
        await doors.step(`committed after ${name}`)
        return result.rows as Row[]
      } catch (error) {
        lost = error
        servers.isLost(error)
        throw error
      } finally {
        if (hasBegun) still.end(lost)
        mine.underWay -= 1
        if (mine.underWay === 0) {
          if (held === mine) held = undefined
          void giveBack(mine)
        }
      }
    },
  }
  return { lane, pool }
}

function isOfStatement(error: unknown): boolean {
  return error instanceof pg.DatabaseError && !OF_CONNECTION.test(error.code ?? '')
}
