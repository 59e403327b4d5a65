import {
  getOperatorBooks,
  getOperatorMonths,
  type HandledRoute,
  handle,
  isRefusal,
  postOperatorMonthClose,
  refuse,
} from '@ergon/contract'
import { dayAfter, type Figures, isDay, type ReportRow } from '../../books/index.ts'
import { formatTrx } from '../../kernel/index.ts'
import { closeMonth, type Month } from '../months.ts'
import { type ConsoleDeps, isoOf } from './deps.ts'

const DAY_MS = 86_400_000
const DAYS_MAX = 400

export function bookRoutes({ rooms: { books }, operator }: ConsoleDeps): HandledRoute[] {
  return [
    handle(getOperatorBooks, async (_caller, { query: { from, to, by = 'day' } }) => {
      const message = objectionTo(from, to)
      if (message) return refuse('validation_error', { message })
      const report = await books.report({ from, to: dayAfter(to) }, [by])
      const { rows, total, times, late, check, isComplete } = report
      return {
        rows: rows.map((row) => ({ name: row[by] ?? '', ...figuresOf(row) })),
        total: figuresOf(total),
        delivery: times.map(({ day, orders, median, p95 }) => ({
          day,
          orders: Number(orders),
          median_seconds: Number(median),
          p95_seconds: Number(p95),
        })),
        late: late.map(({ movement, kind, reference, amount, ofDay, day }) => ({
          movement_id: movement,
          kind,
          reference_id: reference,
          amount_trx: formatTrx(amount),
          of_day: ofDay,
          day,
        })),
        check: { ok: check.different.length === 0, sentence: check.sentence },
        complete: isComplete,
      }
    }),
    handle(getOperatorMonths, async () => ({ months: (await books.months()).map(monthReply) })),
    handle(postOperatorMonthClose, async ({ account: who }, { params: { month }, body }) => {
      const { why } = body
      const closed = await closeMonth({ books, actions: operator.actions }, { month, who, why })
      return isRefusal(closed) ? closed : monthReply(closed)
    }),
  ]
}

function objectionTo(from: string, to: string): string | undefined {
  if (!isDay(from) || !isDay(to)) return 'from and to are days, such as 2026-11-18.'
  if (from > to) return 'The first day comes after the last one.'
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1
  return days > DAYS_MAX ? `At most ${DAYS_MAX} days at once.` : undefined
}

function figuresOf(figures: Figures & Pick<ReportRow, 'stakeCost' | 'marginAfterStake'>) {
  return {
    revenue_trx: formatTrx(figures.revenue),
    refunds_trx: formatTrx(figures.refunds),
    rewards_trx: formatTrx(figures.rewards),
    provider_cost_trx: formatTrx(figures.providerCost),
    network_fees_trx: formatTrx(figures.networkFees),
    goodwill_trx: formatTrx(figures.goodwill),
    margin_trx: formatTrx(figures.margin),
    returned_trx: formatTrx(figures.returned),
    completed: Number(figures.completed),
    failed: Number(figures.failed),
    stake_cost_trx: trxOrNull(figures.stakeCost),
    margin_after_stake_trx: trxOrNull(figures.marginAfterStake),
  }
}

const trxOrNull = (amount: bigint | null) => (amount === null ? null : formatTrx(amount))

function monthReply({ month, margin, closedBy, closedAt, why }: Month) {
  return {
    month,
    margin_trx: margin === null ? null : formatTrx(margin),
    closed_by: closedBy,
    closed_at: isoOf(closedAt),
    why,
  }
}
