import type { Db, Tx } from '../../db/index.ts'
import { type Log, type Runtime, sun } from '../../kernel/index.ts'
import type { Ledger } from '../../ledger/index.ts'
import { giveBack } from '../market/store.ts'
import { setParts } from '../placing/store.ts'
import type { Planning } from '../planning.ts'
import { type OnOutcome, type Outcome, REASONS } from '../request.ts'
import {
  closeOpenParts,
  type EndedAttempt,
  endAttempts,
  endRequests,
  lockRequests,
  type RequestRow,
  readAttempts,
  readStandings,
  readTxids,
  reclaimNow,
  suspectAttempts,
} from './store.ts'

/** `delegated`: Energy that this attempt brought, seen on the chain. */
export type Verdict = {
  state: 'delivered' | 'partial' | 'refused' | 'absent'
  reason: string | null
  delegated: bigint
}

export type OpenEnd = { id: string; partId: string; requestId: string }
export type Judged<Attempt extends OpenEnd = OpenEnd> = { attempt: Attempt; verdict: Verdict }

type Failed = { id: string; reason: string }

export type Ending = ReturnType<typeof createEnding>

/**
 * Ends attempts and, with the last of them, requests. All of it happens in one transaction that
 * holds the requests' rows: whoever comes second finds nothing left to do. Many are ended at once,
 * because a block brings many; rows of every other room come before the ledger, which comes last.
 */
export function createEnding(deps: {
  db: Db
  runtime: Runtime
  log: Log
  ledger: Ledger
  planning: Planning
  onOutcome: readonly OnOutcome[]
}) {
  const { db, runtime, log, ledger, planning, onOutcome } = deps

  /** Those that ended; without what another worker was first at: the locks made us wait for its commit. */
  async function end<A extends OpenEnd>(
    tx: Tx,
    judged: readonly Judged<A>[],
  ): Promise<Judged<A>[]> {
    const ids = [...new Set(judged.map(({ attempt }) => attempt.requestId))]
    const requests = new Map((await tx.query(lockRequests, [ids])).map((row) => [row.id, row]))
    const rows = await tx.query(endAttempts, [
      judged.map(({ attempt }) => attempt.id),
      judged.map(({ verdict }) => verdict.state),
      judged.map(({ verdict }) => verdict.reason),
    ])
    const ended = new Map(rows.map((row) => [row.id, row]))
    const now = judged.filter(({ attempt }) => ended.has(attempt.id))
    if (now.length === 0) return []
    await tx.query(setParts, [
      now.map(({ attempt }) => attempt.partId),
      now.map(({ verdict }) => (verdict.state === 'delivered' ? 'delivered' : 'failed')),
      now.map(({ verdict }) => verdict.reason),
    ])
    const isOpen = ({ attempt }: Judged) => requests.get(attempt.requestId)!.state === 'open'
    await bearLate(
      tx,
      now.filter((one) => !isOpen(one)),
    )
    const refused = new Set(
      now.flatMap(({ attempt, verdict }) => (verdict.state === 'refused' ? attempt.requestId : [])),
    )
    const open = [...new Set(now.filter(isOpen).map(({ attempt }) => attempt.requestId))]
    await settle(
      tx,
      open.map((id) => requests.get(id)!),
      (id) => (refused.has(id) ? REASONS.refused : REASONS.lost),
    )
    for (const one of now) await payFor(tx, one, ended.get(one.attempt.id)!, isOpen(one))
    return now
  }

  /** The client was refunded at the deadline. What came late is ours to bear, and to take back. */
  async function bearLate(tx: Tx, late: readonly Judged[]): Promise<void> {
    if (late.length === 0) return
    // Only what came late: the request may have been delivered by somebody else, and that stays.
    await takeBack(
      tx,
      late.map(({ attempt }) => attempt.id),
    )
    for (const { attempt, verdict } of late) {
      if (verdict.delegated > 0n) log.warn('delivered_too_late', { order: attempt.requestId })
    }
  }

  /** What a marketplace kept of our float for an attempt; own stake costs nothing. */
  async function payFor(
    tx: Tx,
    { attempt, verdict: { delegated } }: Judged,
    { provider, cost, energy }: EndedAttempt,
    inTime: boolean,
  ): Promise<void> {
    const paid = delegated >= energy ? cost : (cost * delegated) / energy
    if (paid <= 0n) return
    await ledger.transfer(tx, [
      {
        kind: inTime ? 'provider_cost' : 'provider_goodwill',
        reference: attempt.id,
        from: inTime ? `cost:provider:${provider}` : 'cost:goodwill',
        to: `asset:provider_float:${provider}`,
        amount: sun(paid),
        description: `${delegated} Energy of ${provider}${inTime ? '' : ', too late for the order'}`,
      },
    ])
  }

  /** Complete, or what is missing planned anew, or nobody left. */
  async function settle(
    tx: Tx,
    requests: readonly RequestRow[],
    reasonOf: (request: string) => string,
  ): Promise<void> {
    if (requests.length === 0) return
    const rows = await tx.query(readStandings, [requests.map(({ id }) => id)])
    const standings = new Map(rows.map((row) => [row.id, row]))
    const complete: string[] = []
    const failed: Failed[] = []
    for (const { id, energy, deadlineAt } of requests) {
      const { delegated, underWay, tried } = standings.get(id)!
      const missing = energy - delegated - underWay
      if (delegated >= energy) complete.push(id)
      else if (missing > 0n) {
        const inTime = runtime.clock.now() < deadlineAt
        const again = inTime && (await planning.planAgain(tx, id, missing, tried))
        if (!again) failed.push({ id, reason: reasonOf(id) })
      }
    }
    await close(tx, complete, failed)
  }

  async function close(tx: Tx, complete: string[], failed: Failed[]): Promise<void> {
    const ids = [...complete, ...failed.map(({ id }) => id)]
    if (ids.length === 0) return
    const reasons = [...complete.map(() => null), ...failed.map(({ reason }) => reason)]
    const states = ids.map((_, place) => (place < complete.length ? 'delivered' : 'failed'))
    await tx.query(endRequests, [ids, states, reasons])
    await tx.query(closeOpenParts, [ids, reasons])
    await tx.query(suspectAttempts, [ids, runtime.clock.now()])
    if (failed.length > 0) {
      const attempts = await tx.query(readAttempts, [failed.map(({ id }) => id)])
      await takeBack(
        tx,
        attempts.map(({ id }) => id),
      )
    }
    const txids = complete.length > 0 ? await tx.query(readTxids, [complete]) : []
    const txidsOf = Map.groupBy(txids, ({ id }) => id)
    const outcomes: Outcome[] = [
      ...complete.map((id) => {
        const of = (txidsOf.get(id) ?? []).map(({ txid }) => txid)
        return { id, state: 'delivered' as const, txids: of }
      }),
      ...failed.map(({ id, reason }) => ({ id, state: 'failed' as const, reason })),
    ]
    for (const participant of onOutcome) await participant(tx, outcomes)
  }

  async function takeBack(tx: Tx, attempts: readonly string[]): Promise<void> {
    await tx.query(reclaimNow, [attempts, runtime.clock.now()])
    await tx.query(giveBack, [attempts])
  }

  /** Those of the requests that are still open, locked. */
  const lockOpen = async (tx: Tx, requests: readonly string[]) =>
    (await tx.query(lockRequests, [requests])).filter(({ state }) => state === 'open')

  return {
    end,
    /** Past their deadline: whatever is still unknown, the clients have waited long enough. */
    failOverdue: (requests: readonly string[]) =>
      db.transaction(async (tx) => {
        const open = await lockOpen(tx, requests)
        const failed = open.map(({ id }) => ({ id, reason: REASONS.late }))
        await close(tx, [], failed)
      }),
    /** Somebody refused them while they were being placed. */
    settleShort: (requests: readonly string[]) =>
      db.transaction(async (tx) => settle(tx, await lockOpen(tx, requests), () => REASONS.refused)),
  }
}
