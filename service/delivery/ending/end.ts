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
  readAttempts,
  readStandings,
  readTxids,
  reclaimNow,
  suspectAttempts,
} from './end.sql.ts'
import { lockRequests, type RequestRow } from './store.ts'

/** `delegated`: Energy of this attempt that the chain shows. */
export type Verdict = {
  state: 'delivered' | 'partial' | 'refused' | 'absent'
  reason: string | null
  delegated: bigint
}

export type OpenEnd = { id: string; partId: string; requestId: string }
export type Judged<Attempt extends OpenEnd = OpenEnd> = { attempt: Attempt; verdict: Verdict }

/** What an attempt costs when part of its Energy came. */
export function paidFor(of: { cost: bigint; energy: bigint }, delegated: bigint): bigint {
  return delegated >= of.energy ? of.cost : (of.cost * delegated) / of.energy
}

type Failed = { id: string; reason: string }

export type Ending = ReturnType<typeof createEnding>

/**
 * Ends attempts and, with the last of them, requests. One transaction locks the requests' rows, so a
 * second worker finds nothing left to do. It ends many at once, because a block brings many. Rows of
 * all other rooms are locked before the ledger.
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

  /** Returns the attempts that this call ended, without those that another worker ended first. */
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

  /** The client was refunded at the deadline: we pay for late Energy and reclaim it. */
  async function bearLate(tx: Tx, late: readonly Judged[]): Promise<void> {
    if (late.length === 0) return
    // Only the late Energy: another provider may have delivered the request, and that stays.
    await takeBack(
      tx,
      late.map(({ attempt }) => attempt.id),
    )
    for (const { attempt, verdict } of late) {
      if (verdict.delegated > 0n) log.warn('delivered_too_late', { order: attempt.requestId })
    }
  }

  /** Books what a marketplace charged for an attempt; own stake costs nothing. */
  async function payFor(
    tx: Tx,
    { attempt, verdict: { delegated } }: Judged,
    { provider, cost, energy }: EndedAttempt,
    inTime: boolean,
  ): Promise<void> {
    const paid = paidFor({ cost, energy }, delegated)
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

  /** Completes a request, plans the missing amount again, or fails it when no provider is left. */
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

  /** Locks the requests and returns those that are still open. */
  const lockOpen = async (tx: Tx, requests: readonly string[]) =>
    (await tx.query(lockRequests, [requests])).filter(({ state }) => state === 'open')

  return {
    end,
    /** Fails requests past their deadline, also with attempts that are still undecided. */
    failOverdue: (requests: readonly string[]) =>
      db.transaction(async (tx) => {
        const open = await lockOpen(tx, requests)
        const failed = open.map(({ id }) => ({ id, reason: REASONS.late }))
        await close(tx, [], failed)
      }),
    /** Settles requests that a provider refused while they were placed. */
    settleShort: (requests: readonly string[]) =>
      db.transaction(async (tx) => settle(tx, await lockOpen(tx, requests), () => REASONS.refused)),
  }
}
