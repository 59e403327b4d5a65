import {
  getOperatorStatementEffect,
  getOperatorStatements,
  type HandledRoute,
  handle,
  isRefusal,
  postOperatorStatementDecision,
  postOperatorStatementRun,
  refuse,
} from '@ergon/contract'
import { dayAfter, isDay, type Statements } from '../../books/index.ts'
import { formatTrx, isUuid, parseTrx } from '../../kernel/index.ts'
import { decideDifference, runStatementsNow } from '../statements.ts'
import { type ConsoleDeps, isoOf, missing } from './deps.ts'

type Difference = Awaited<ReturnType<Statements['differences']>>[number]

export function statementRoutes({ rooms, operator }: ConsoleDeps): HandledRoute[] {
  const { statements } = rooms
  const { actions } = operator
  return [
    handle(getOperatorStatements, async (_caller, { query: { from, to } }) => {
      if (!isDay(from) || !isDay(to) || from > to) {
        const message = 'from and to are days, such as 2026-11-18, the earlier first.'
        return refuse('validation_error', { message })
      }
      const [sources, days, differences] = await Promise.all([
        statements.sources(),
        statements.days({ from, to: dayAfter(to) }),
        statements.differences({ waiting: false }),
      ])
      return {
        sources: sources.map((one) => ({
          provider: one.provider,
          way: one.way,
          compared_at: isoOf(one.comparedAt),
          next_at: one.dueAt.toISOString(),
          trouble: one.trouble,
          reading: one.isReading,
          open: Number(one.open),
          claimed: Number(one.claimed),
        })),
        days: days.map((one) => ({
          provider: one.provider,
          day: one.day,
          theirs_trx: formatTrx(one.theirs),
          ours_trx: formatTrx(one.ours),
          matched: Number(one.matched),
          open: Number(one.open),
          compared_at: one.comparedAt.toISOString(),
        })),
        differences: differences.map(differenceReply),
      }
    }),
    handle(postOperatorStatementRun, async ({ account: who }, { body: { provider, why } }) => {
      const asked = await runStatementsNow({ statements, actions }, { provider, who, why })
      return isRefusal(asked) ? asked : { providers: asked }
    }),
    handle(getOperatorStatementEffect, async (_caller, { params: { id }, query }) => {
      const effect = isUuid(id) ? await statements.effectOf(id, query.resolution) : NONE
      if (typeof effect === 'string') return refuse('validation_error', { message: effect })
      return { booked_trx: formatTrx(effect.booked), sentence: effect.sentence }
    }),
    handle(postOperatorStatementDecision, async ({ account: who }, { params: { id }, body }) => {
      const { resolution: as, difference_trx, why } = body
      const shown = signedTrx(difference_trx)
      if (shown === undefined) {
        const message = 'difference_trx is an amount in TRX, such as -1.5.'
        return refuse('validation_error', { message })
      }
      if (!isUuid(id) || (await statements.effectOf(id, as)) === NONE) return missing('difference')
      const decided = await decideDifference({ statements, actions }, { id, as, shown, who, why })
      if (isRefusal(decided)) return decided
      return { id, resolution: as, booked_trx: formatTrx(decided.booked) }
    }),
  ]
}

const NONE = 'No difference has this id.'

function signedTrx(text: string): bigint | undefined {
  const size = parseTrx(text.replace(/^-/, ''))
  if (size === undefined) return undefined
  return text.startsWith('-') ? -size : size
}

function differenceReply(one: Difference) {
  return {
    id: one.id,
    provider: one.provider,
    day: one.day,
    kind: one.kind,
    order_id: one.orderId,
    attempt_id: one.attemptId,
    theirs_trx: formatTrx(one.theirs),
    ours_trx: formatTrx(one.ours),
    difference_trx: formatTrx(one.theirs - one.ours),
    state: one.state,
    first_seen_at: one.firstSeenAt.toISOString(),
    last_seen_at: one.lastSeenAt.toISOString(),
    decided_by: one.decidedBy,
    why: one.why,
    decided_at: isoOf(one.decidedAt),
    note: one.note,
  }
}
