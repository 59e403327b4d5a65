import type { Chain } from '../chain/index.ts'
import type { Db, Tx } from '../db/index.ts'
import type { Doors, Log } from '../kernel/index.ts'
import type { Signing } from '../signing/index.ts'
import { type OnOutcome, REASONS } from './request.ts'
import {
  closeOpenParts,
  endAttempt,
  endRequest,
  lockRequest,
  type OpenAttempt,
  openAttempts,
  overdueRequests,
  readParts,
  readTxids,
  reclaimNow,
  refusedRequests,
  setPart,
} from './store.ts'

const BATCH = 500

type Verdict = { state: 'delivered' | 'refused' | 'absent'; reason: string | null }

/**
 * Turns evidence into outcomes. Delivered means a block on the chain holds the delegation; absent
 * means the bytes are provably dead; everything else is waited for until the deadline.
 */
export function createConcluding(deps: {
  db: Db
  doors: Doors
  log: Log
  chain: Chain
  signing: Signing
  onOutcome: readonly OnOutcome[]
}) {
  const { db, doors, log, chain, signing, onOutcome } = deps

  async function verdicts(attempts: OpenAttempt[]): Promise<Map<string, Verdict>> {
    const unseen = attempts.filter((attempt) => !attempt.seen)
    const [answers, states, progress] = await Promise.all([
      signing.answers(unseen.map((attempt) => attempt.signingRequest)),
      chain.broadcasts.states(unseen.map((attempt) => attempt.txid)),
      chain.progress(),
    ])
    const refused = new Map(
      answers.flatMap((a) => (a.state === 'refused' ? [[a.id, a.reason]] : [])),
    )
    const sent = new Map(states.map((state) => [state.txid, state.state]))
    const found = new Map<string, Verdict>()
    for (const attempt of attempts) {
      const { id, seen, signingRequest, txid, expiresAt } = attempt
      if (seen) found.set(id, { state: 'delivered', reason: null })
      else if (refused.has(signingRequest)) {
        found.set(id, { state: 'refused', reason: refused.get(signingRequest) ?? null })
      } else if (
        sent.get(txid) === 'expired' ||
        (!sent.has(txid) && isPast(expiresAt, progress?.solidTime))
      ) {
        found.set(id, { state: 'absent', reason: 'expired before a block held it' })
      }
    }
    return found
  }

  /** Writes one attempt's end, and the request's when it was the last. */
  async function conclude(attempt: OpenAttempt, verdict: Verdict): Promise<void> {
    await db.transaction(async (tx) => {
      const [request] = await tx.query(lockRequest, [attempt.requestId])
      const ended = await tx.query(endAttempt, [attempt.id, verdict.state, verdict.reason])
      // Another worker was here first; the lock made us wait for its commit.
      if (ended.length === 0 || !request) return
      const delivered = verdict.state === 'delivered'
      await tx.query(setPart, [attempt.partId, delivered ? 'delivered' : 'failed', verdict.reason])
      if (request.state !== 'open') {
        // The client was refunded at the deadline. What came late is ours to bear, and to take back.
        await tx.query(reclaimNow, [request.id, doors.clock.now()])
        if (delivered) log.warn('delivered_too_late', { order: request.id, txid: attempt.txid })
        return
      }
      await endWhenDecided(tx, request.id)
    })
  }

  async function endWhenDecided(tx: Tx, request: string): Promise<void> {
    const parts = await tx.query(readParts, [request])
    if (parts.every((part) => part.state === 'delivered')) {
      await tx.query(endRequest, [request, 'delivered', null])
      const txids = (await tx.query(readTxids, [request])).map((row) => row.txid)
      for (const participant of onOutcome) {
        await participant(tx, { id: request, state: 'delivered', txids })
      }
    } else if (parts.some((part) => part.state === 'failed')) {
      await fail(tx, request, REASONS.lost)
    }
  }

  async function fail(tx: Tx, request: string, reason: string): Promise<void> {
    await tx.query(endRequest, [request, 'failed', reason])
    await tx.query(closeOpenParts, [request, reason])
    await tx.query(reclaimNow, [request, doors.clock.now()])
    for (const participant of onOutcome)
      await participant(tx, { id: request, state: 'failed', reason })
  }

  async function failOne(request: string, reason: string): Promise<void> {
    await db.transaction(async (tx) => {
      const [row] = await tx.query(lockRequest, [request])
      if (row?.state === 'open') await fail(tx, request, reason)
    })
  }

  return {
    /** Ends every attempt there is evidence about, and every request past its deadline. */
    async concludeAll(): Promise<number> {
      const attempts = await db.query(openAttempts, [BATCH])
      const found = attempts.length > 0 ? await verdicts(attempts) : new Map<string, Verdict>()
      for (const attempt of attempts) {
        const verdict = found.get(attempt.id)
        if (verdict) await conclude(attempt, verdict)
      }
      const refused = await db.query(refusedRequests, [BATCH])
      for (const { id } of refused) await failOne(id, REASONS.refused)
      const overdue = await db.query(overdueRequests, [doors.clock.now(), BATCH])
      for (const { id } of overdue) await failOne(id, REASONS.late)
      return found.size + refused.length + overdue.length
    },
  }
}

function isPast(moment: Date, solidTime: Date | undefined): boolean {
  return solidTime !== undefined && solidTime > moment
}
