import { type Runtime, silentLog } from '../kernel/index.ts'
import { type Db, openDb } from './pool.ts'
import {
  type ArchiverRow,
  type HangingRow,
  readArchiver,
  readBackend,
  readHanging,
  readServerFolder,
  readStandbys,
  type StandbyRow,
} from './serverHealth.sql.ts'
import { behindPooler } from './unfit.ts'

export type ServerHealth = {
  archiver: ArchiverRow & { isFailing: boolean }
  standbys: StandbyRow[]
  hanging: HangingRow[]
  /** The server's data folder, on the server's machine; undefined when it may not be seen. */
  folder: string | undefined
}

/** PostgreSQL's own trouble: the archive of its WAL, its standbys, sessions that hang. */
export async function readServerHealth(db: Db): Promise<ServerHealth> {
  const [[archiver], standbys, hanging, [at]] = await Promise.all([
    db.query(readArchiver),
    db.query(readStandbys),
    db.query(readHanging),
    db.query(readServerFolder),
  ])
  const { isOn, lastArchivedAt, lastFailedAt } = archiver!
  const isFailing =
    isOn && lastFailedAt !== null && (lastArchivedAt === null || lastFailedAt > lastArchivedAt)
  return {
    archiver: { ...archiver!, isFailing },
    standbys,
    hanging,
    folder: at?.folder ?? undefined,
  }
}

const LOOKS = 3
/** duplicate_prepared_statement, invalid_sql_statement_name */
const LOST_STATEMENT = ['42P05', '26000']

/**
 * Whether a pooler gives each transaction any free session, so that settings and prepared statements are lost.
 * Both must be of one connection. Two connections that are open together have two sessions, and each keeps its own,
 * unless a pooler divides them.
 */
export async function sharesSessions(one: Db, other: Db): Promise<boolean> {
  const sessionOf = async ({ query }: Pick<Db, 'query'>) => (await query(readBackend))[0]!.pid
  try {
    const seen = new Set<number>()
    for (let look = 0; look < LOOKS; look += 1) seen.add(await sessionOf(one))
    return await other.transaction(async (tx) => {
      const held = await sessionOf(tx)
      // A pooler has put the session that we knew under this transaction, or gives us another meanwhile.
      if (seen.has(held)) return true
      seen.add(await sessionOf(one))
      return seen.size > 1
    })
  } catch (error) {
    if (LOST_STATEMENT.includes((error as { code?: string }).code ?? '')) return true
    throw error
  }
}

/** Refuses to start behind a pooler in transaction mode. In session mode each connection has a session to itself. */
export async function assertOwnSessions(urls: string[], runtime: Runtime): Promise<void> {
  const options = { urls, connections: 1, runtime, log: silentLog, name: 'ergon-look' }
  const one = await openDb(options)
  try {
    const other = await openDb(options)
    try {
      if (await sharesSessions(one, other)) throw behindPooler()
    } finally {
      await other.close()
    }
  } finally {
    await one.close()
  }
}
