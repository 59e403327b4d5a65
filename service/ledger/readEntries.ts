import type { Db } from '../db/index.ts'
import type { Runtime } from '../kernel/index.ts'
import { readCursor, writeCursor } from './cursor.ts'
import { cursorSecret, type EntryRow, listEntries } from './store.ts'

/** One page of an account's movements, newest first. `next` is null on the last page. */
export type EntryPage = { entries: EntryRow[]; next: string | null }

export type ReadEntries = (
  account: string,
  asked: { limit: number; cursor: string | undefined },
) => Promise<EntryPage | 'invalid_cursor'>

const ABOVE_ALL_VERSIONS = 2n ** 63n - 1n

export type ServiceSecret = () => Promise<Uint8Array>

/** The secret that seals cursors, the same on every node; read once. */
export function createServiceSecret({ db, runtime }: { db: Db; runtime: Runtime }): ServiceSecret {
  let secret: Uint8Array | undefined
  return async () => {
    if (!secret) {
      const [row] = await db.query(cursorSecret, [Buffer.from(runtime.random.bytes(32))])
      secret = row!.secret
    }
    return secret
  }
}

/**
 * Pages by the account's gapless version, never by time: a movement posted meanwhile has a higher
 * version, so no entry is missed or repeated.
 */
export function createReadEntries(db: Db, serviceSecret: ServiceSecret): ReadEntries {
  return async (account, { limit, cursor }) => {
    const key = await serviceSecret()
    const below = cursor === undefined ? ABOVE_ALL_VERSIONS : readCursor(key, account, cursor)
    if (below === undefined) return 'invalid_cursor'
    const rows = await db.query(listEntries, [account, below, limit + 1])
    const entries = rows.slice(0, limit)
    const more = rows.length > limit
    return { entries, next: more ? writeCursor(key, account, entries.at(-1)!.version) : null }
  }
}
