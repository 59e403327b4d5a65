import { type Refusal, refuse } from '@ergon/contract'
import type { Db } from '../db/index.ts'
import { batched, type Clock, createLoop, type Log, type Loop, within } from '../kernel/index.ts'
import { findKey, findWallets, noteUses, readRevision } from './authenticate.sql.ts'
import { hashKey, looksLikeKey } from './key.ts'

export type Authenticator = {
  /** The account of a key. Synchronous for a cached key. */
  accountOf(key: string | undefined): string | Refusal | Promise<string | Refusal>
  /** The wallet linked to the account, or empty. Never cached: a change shows at once on every node. */
  walletOf(account: string): Promise<string>
  loop: Loop
  /** Writes when keys were last used. */
  usesLoop: Loop
}

/** A cached key. `notedMs`: when its use was last noted. */
type Known = { account: string; key: string; notedMs: number }

const REVISION_MS = 500
/** Rounds without a request after which the cache is dropped: an empty one needs no revision. */
const QUIET_ROUNDS = 20
/** Timeout of the revision query. */
const REVISION_WAIT_MS = 2_000
const KEYS_MAX = 100_000
/** A key's last use is exact to this, so that a busy key is written once a minute. */
const USE_MS = 60_000
const WRITE_MS = 1_000

/**
 * Keys are cached by their hash, until the revision in the database changes. A revoked key raises it, and
 * every process with a key in its cache reads it twice a second. So a revoked key is refused everywhere
 * within a second, and within three where the database does not answer.
 */
export function createAuthenticator(deps: { db: Db; clock: Clock; log: Log }): Authenticator {
  const { db, clock, log } = deps
  const known = new Map<string, Known>()
  /** Keys whose use is not written yet. */
  const used = new Set<string>()
  let revision: bigint | undefined
  /** Rounds since the last request. */
  let quietRounds = QUIET_ROUNDS

  const readWallet = batched(async (accounts: string[]) => {
    const rows = await db.query(findWallets, [accounts])
    const byId = new Map(rows.map(({ id, wallet }) => [id, wallet]))
    return accounts.map((account) => byId.get(account))
  })

  async function lookUp(key: string): Promise<string | Refusal> {
    const readAt = revision
    const keyHash = hashKey(key)
    const [holder] = await db.query(findKey, [keyHash])
    if (!holder || holder.revoked) return refuse('invalid_api_key')
    if (holder.userRemoved) return refuse('user_not_found')
    // Cache only if the revision did not change meanwhile: the row may be older than a revocation.
    const found = { account: holder.account, key: holder.key, notedMs: Number.NEGATIVE_INFINITY }
    if (revision !== undefined && revision === readAt) {
      if (known.size >= KEYS_MAX) known.clear()
      known.set(keyHash, found)
    }
    return use(found)
  }

  function use(found: Known): string {
    const nowMs = clock.elapsedMs()
    if (nowMs - found.notedMs >= USE_MS) {
      found.notedMs = nowMs
      used.add(found.key)
      usesLoop.notice(true)
    }
    return found.account
  }

  async function writeUses(): Promise<number> {
    usesLoop.notice(used.size > 0)
    if (used.size === 0) return 0
    const keys = [...used]
    await db.query(noteUses, [keys, clock.now()])
    for (const key of keys) used.delete(key)
    return keys.length
  }

  async function followRevision(): Promise<number> {
    if (quietRounds >= QUIET_ROUNDS) {
      known.clear()
      revision = undefined
      loop.notice(false)
      return 0
    }
    quietRounds += 1
    try {
      const [row] = await within(REVISION_WAIT_MS, db.query(readRevision), [])
      if (!row) throw new Error('the database does not say whether keys were revoked')
      if (row.number !== revision) known.clear()
      revision = row.number
    } catch (error) {
      // Without the revision the cache cannot be trusted: look up every key until the database answers.
      known.clear()
      revision = undefined
      throw error
    }
    return 0
  }

  const loop = createLoop({
    name: 'identity.followRevision',
    everyMs: REVISION_MS,
    work: followRevision,
    log,
  })
  // A loop of its own: a row that is locked must not keep us from seeing revoked keys.
  const usesLoop = createLoop({
    name: 'identity.writeUses',
    everyMs: WRITE_MS,
    afterWorkMs: WRITE_MS,
    work: writeUses,
    log,
  })
  return {
    accountOf(key) {
      if (key === undefined || key === '') return refuse('api_key_required')
      if (!looksLikeKey(key)) return refuse('invalid_api_key')
      if (quietRounds >= QUIET_ROUNDS) {
        loop.notice(true)
        loop.wake()
      }
      quietRounds = 0
      const found = known.get(hashKey(key))
      return found ? use(found) : lookUp(key)
    },
    walletOf: async (account) => (await readWallet(account)) ?? '',
    loop,
    usesLoop,
  }
}
