import { type Refusal, refuse } from '@ergon/contract'
import type { Db } from '../db/index.ts'
import { createLoop, type Log, type Loop, within } from '../kernel/index.ts'
import { findKey, findWallet, readRevision } from './authenticate.sql.ts'
import { hashKey, looksLikeKey } from './key.ts'

export type Authenticator = {
  /** The account of a key. Synchronous for a cached key. */
  accountOf(key: string | undefined): string | Refusal | Promise<string | Refusal>
  /** The wallet linked to the account, or empty; cached like the keys. */
  walletOf(account: string): string | Promise<string>
  loop: Loop
}

const REVISION_MS = 500
/** Timeout of the revision query. */
const REVISION_WAIT_MS = 2_000
const KEYS_MAX = 100_000
const WALLETS_MAX = 100_000

/**
 * Keys and wallets are cached: keys by their hash, until the revision in the database changes. A revoked
 * key or a changed wallet raises it, and every process reads it twice a second. So a revoked key is refused
 * everywhere within a second, and within three where the database does not answer.
 */
export function createAuthenticator({ db, log }: { db: Db; log: Log }): Authenticator {
  const known = new Map<string, string>()
  const wallets = new Map<string, string>()
  let revision: bigint | undefined

  function forget() {
    known.clear()
    wallets.clear()
  }

  async function lookUp(key: string): Promise<string | Refusal> {
    const readAt = revision
    const keyHash = hashKey(key)
    const [holder] = await db.query(findKey, [keyHash])
    if (!holder || holder.revoked) return refuse('invalid_api_key')
    if (holder.userRemoved) return refuse('user_not_found')
    // Cache only if the revision did not change meanwhile: the row may be older than a revocation.
    if (revision !== undefined && revision === readAt) {
      if (known.size >= KEYS_MAX) known.clear()
      known.set(keyHash, holder.account)
    }
    return holder.account
  }

  async function lookUpWallet(account: string): Promise<string> {
    const readAt = revision
    const [row] = await db.query(findWallet, [account])
    const wallet = row?.wallet ?? ''
    if (revision !== undefined && revision === readAt) {
      if (wallets.size >= WALLETS_MAX) wallets.clear()
      wallets.set(account, wallet)
    }
    return wallet
  }

  async function followRevision(): Promise<number> {
    try {
      const [row] = await within(REVISION_WAIT_MS, db.query(readRevision), [])
      if (!row) throw new Error('the database does not say whether keys were revoked')
      if (row.number !== revision) forget()
      revision = row.number
    } catch (error) {
      // Without the revision the cache cannot be trusted: look up every key until the database answers.
      forget()
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
    walletOf: (account) => wallets.get(account) ?? lookUpWallet(account),
    loop: createLoop({
      name: 'identity.followRevision',
      everyMs: REVISION_MS,
      work: followRevision,
      log,
    }),
  }
}
