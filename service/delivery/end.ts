import type { Db, Tx } from '../db/index.ts'
import { type Doors, type Log, sun } from '../kernel/index.ts'
import type { Ledger } from '../ledger/index.ts'
import { giveBack } from './market/store.ts'
import type { Planning } from './planning.ts'
import { type OnOutcome, REASONS } from './request.ts'
import {
  closeOpenParts,
  type EndedAttempt,
  endAttempt,
  endRequest,
  lockRequest,
  type RequestRow,
  readStanding,
  readTxids,
  reclaimNow,
  setPart,
  suspectAttempts,
} from './store.ts'

/** `delegated`: Energy that this attempt brought, seen on the chain. */
export type Verdict = {
  state: 'delivered' | 'partial' | 'refused' | 'absent'
  reason: string | null
  delegated: bigint
}

export type OpenEnd = { id: string; partId: string; requestId: string }

export type Ending = ReturnType<typeof createEnding>

/**
 * Ends attempts and, with the last of them, requests. All of it happens in one transaction that
 * holds the request's row: whoever comes second finds nothing left to do.
 */
export function createEnding(deps: {
  db: Db
  doors: Doors
  log: Log
  ledger: Ledger
  planning: Planning
  onOutcome: readonly OnOutcome[]
}) {
  const { doors, log, ledger, planning, onOutcome } = deps

  /** False when another worker was here first; the lock made us wait for its commit. */
  async function end(tx: Tx, attempt: OpenEnd, verdict: Verdict): Promise<boolean> {
    const [request] = await tx.query(lockRequest, [attempt.requestId])
    const [ended] = await tx.query(endAttempt, [attempt.id, verdict.state, verdict.reason])
    if (!ended || !request) return false
    const delivered = verdict.state === 'delivered'
    await tx.query(setPart, [attempt.partId, delivered ? 'delivered' : 'failed', verdict.reason])
    const inTime = request.state === 'open'
    if (inTime) await settle(tx, request, verdict.state)
    else {
      // The client was refunded at the deadline. What came late is ours to bear, and to take back.
      await takeBack(tx, request.id)
      if (verdict.delegated > 0n) log.warn('delivered_too_late', { order: request.id })
    }
    await payFor(tx, attempt.id, ended, { delegated: verdict.delegated, inTime })
    return true
  }

  /** What a marketplace kept of our float for this attempt; own stake costs nothing. */
  async function payFor(
    tx: Tx,
    attempt: string,
    { provider, cost, energy }: EndedAttempt,
    { delegated, inTime }: { delegated: bigint; inTime: boolean },
  ): Promise<void> {
    const paid = delegated >= energy ? cost : (cost * delegated) / energy
    if (paid <= 0n) return
    await ledger.transfer(tx, {
      kind: inTime ? 'provider_cost' : 'provider_goodwill',
      reference: attempt,
      from: inTime ? `cost:provider:${provider}` : 'cost:goodwill',
      to: `asset:provider_float:${provider}`,
      amount: sun(paid),
      description: `${delegated} Energy of ${provider}${inTime ? '' : ', too late for the order'}`,
    })
  }

  /** Complete, or what is missing planned anew, or nobody left. */
  async function settle(tx: Tx, request: RequestRow, last: Verdict['state']): Promise<void> {
    const [standing] = await tx.query(readStanding, [request.id])
    const { delegated, underWay, tried } = standing!
    if (delegated >= request.energy) return complete(tx, request)
    const missing = request.energy - delegated - underWay
    if (missing <= 0n) return
    const inTime = doors.clock.now() < request.deadlineAt
    if (inTime && (await planning.planAgain(tx, request.id, missing, tried))) return
    await fail(tx, request.id, last === 'refused' ? REASONS.refused : REASONS.lost)
  }

  async function complete(tx: Tx, { id }: RequestRow): Promise<void> {
    await tx.query(endRequest, [id, 'delivered', null])
    await tx.query(closeOpenParts, [id, 'not needed any more'])
    await tx.query(suspectAttempts, [id, doors.clock.now()])
    const txids = (await tx.query(readTxids, [id])).map((row) => row.txid)
    for (const participant of onOutcome) await participant(tx, { id, state: 'delivered', txids })
  }

  async function fail(tx: Tx, request: string, reason: string): Promise<void> {
    await tx.query(endRequest, [request, 'failed', reason])
    await tx.query(closeOpenParts, [request, reason])
    await tx.query(suspectAttempts, [request, doors.clock.now()])
    await takeBack(tx, request)
    for (const participant of onOutcome) {
      await participant(tx, { id: request, state: 'failed', reason })
    }
  }

  async function takeBack(tx: Tx, request: string): Promise<void> {
    await tx.query(reclaimNow, [request, doors.clock.now()])
    await tx.query(giveBack, [request])
  }

  return {
    end,
    /** Past its deadline: whatever is still unknown, the client has waited long enough. */
    failOverdue: (request: string) =>
      deps.db.transaction(async (tx) => {
        const [row] = await tx.query(lockRequest, [request])
        if (row?.state === 'open') await fail(tx, request, REASONS.late)
      }),
    /** Somebody refused it while it was being placed. */
    settleShort: (request: string) =>
      deps.db.transaction(async (tx) => {
        const [row] = await tx.query(lockRequest, [request])
        if (row?.state === 'open') await settle(tx, row, 'refused')
      }),
  }
}
