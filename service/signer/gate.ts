import type { Db } from '../db/index.ts'
import type { Clock, Log } from '../kernel/index.ts'
import { findRequested, isNearHead } from '../signing/index.ts'
import { readPayoutLog, type SignedPayout } from './payoutLog.ts'

/** A start takes less; after that the log says what the signer waits for. */
const USUAL_MS = 10_000

/**
 * After a start nothing is answered until the scanner is near the node's head: a database that was
 * restored shows as due what has been paid. Findings up to there have turned signing off. The signer's
 * own file is asked too: a payout in it that the database does not know may still be mined until its
 * bytes have expired.
 */
export function createGate(deps: { db: Db; log: Log; clock: Clock; folder: string }) {
  const { db, log, clock, folder } = deps
  const startMs = clock.elapsedMs()
  let isOpen = false
  let firstMark: string | undefined
  let told: string | undefined

  async function reason(): Promise<string | undefined> {
    const [at] = await db.query(isNearHead)
    firstMark ??= at?.mark ?? ''
    // In a restored database the last head is an old one: a scanner has to have asked since the start.
    if (!at?.near || at.mark === firstMark) return "no scanner is near the node's head"
    const lost = await lostPayout(at.solidTime)
    return (
      lost &&
      `the database is older than the signer's file: it does not know ${lost.txid} of payout ${lost.payout}, which may still be mined`
    )
  }

  async function lostPayout(solidTime: Date): Promise<SignedPayout | undefined> {
    const alive = linesOf(folder).filter(({ expiration }) => expiration >= solidTime.getTime())
    if (alive.length === 0) return undefined
    const rows = await db.query(findRequested, [alive.map(({ txid }) => txid)])
    const known = new Set(rows.map(({ txid }) => txid))
    return alive.find(({ txid }) => !known.has(txid))
  }

  return {
    async isOpen(): Promise<boolean> {
      if (isOpen) return true
      const why = await reason()
      isOpen = why === undefined
      const isLong = clock.elapsedMs() - startMs > USUAL_MS
      if (why && isLong && why !== told) {
        log.warn('signing_waits', { reason: why })
        told = why
      }
      if (isOpen && told) log.warn('signing_begins')
      return isOpen
    },
  }
}

/** Without a readable file no payout is signed anyway. */
function linesOf(folder: string): readonly SignedPayout[] {
  try {
    return folder ? readPayoutLog(folder).signed : []
  } catch {
    return []
  }
}
