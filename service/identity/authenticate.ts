import { type Refusal, refuse } from '@ergon/contract'
import type { Db } from '../db/index.ts'
import { createLoop, type Log, type Loop } from '../kernel/index.ts'
import { hashKey, looksLikeKey } from './key.ts'
import { findKey, readRevision } from './store.ts'

export type Authenticator = {
  /** The account behind a key. Answers from memory for a key seen before: no look-up, no promise. */
  accountOf(key: string | undefined): string | Refusal | Promise<string | Refusal>
  loop: Loop
}

const REVISION_MS = 500
const KEYS_MAX = 100_000

/**
 * Keys live in memory by their hash. A revocation raises a number in the database that every node
 * reads twice a second, so a dead key is refused everywhere within a second.
 */
export function createAuthenticator({ db, log }: { db: Db; log: Log }): Authenticator {
  const known = new Map<string, string>()
  let revision: bigint | undefined

  async function lookUp(key: string): Promise<string | Refusal> {
    const readAt = revision
    const keyHash = hashKey(key)
    const [holder] = await db.query(findKey, [keyHash])
    if (!holder || holder.revoked) return refuse('invalid_api_key')
    if (holder.userRemoved) return refuse('user_not_found')
    // Remembered only if no revocation was noticed meanwhile: the row may be older than the news.
    if (revision !== undefined && revision === readAt) {
      if (known.size >= KEYS_MAX) known.clear()
      known.set(keyHash, holder.account)
    }
    return holder.account
  }

  async function followRevision(): Promise<number> {
    try {
      const [row] = await db.query(readRevision)
      if (row!.number !== revision) known.clear()
      revision = row!.number
    } catch (error) {
      // What cannot be checked is not trusted: every key is looked up until the database answers.
      known.clear()
      revision = undefined
      throw error
    }
    return 0
  }

  return {
    accountOf(key) {
      if (key === undefined || key === '') return refuse('api_key_required')
      if (!looksLikeKey(key)) return refuse('invalid_api_key')
      return known.get(hashKey(key)) ?? lookUp(key)
    },
    loop: createLoop({
      name: 'identity.followRevision',
      everyMs: REVISION_MS,
      work: followRevision,
      log,
    }),
  }
}
