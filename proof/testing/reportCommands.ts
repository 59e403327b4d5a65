import { expect } from 'vitest'
import type { Market } from './market.ts'
import type { runningErgon } from './runningErgon.ts'

type Given = Pick<ReturnType<typeof runningErgon>, 'ergon'> & { market: Market }

const COLUMNS =
  'revenue_trx,refunds_trx,rewards_trx,provider_cost_trx,network_fees_trx,goodwill_trx,margin_trx,returned_trx,completed,failed,' +
  'stake_cost_calculated_trx,margin_after_stake_calculated_trx'

/** The report has the margin of the month, and a month that is not over is not closed. */
export async function readReports({ ergon, market }: Given) {
  const [now] = await market.database.sql<{ month: string; margin: string }>(
    `select to_char(db.business_now(), 'YYYY-MM') as month,
            sum(case when credit ~ '^(income|cost):' then amount_sun else 0 end
                - case when debit ~ '^(income|cost):' then amount_sun else 0 end) as margin from ledger.movement`,
  )
  const { month, margin } = now!
  const report = await ergon(['report', '--json'])
  expect(report).toMatchObject({ code: 0, json: { total: { margin } } })
  const text = await ergon(['report', '--month', month, '--group', 'product,provider'])
  expect([text.code, text.out]).toEqual([0, expect.stringMatching(/equals the ledger to the SUN/)])
  const days = ['--from', '2026-01-01', '--to', '2026-12-31', '--group', 'month', '--csv']
  const csv = await ergon(['report', ...days])
  expect([csv.code, csv.out.split('\r\n')[0]]).toEqual([0, `month,${COLUMNS}`])
  expect((await ergon(['report', 'months', '--json'])).code).toBe(0)
  const close = await ergon(['report', 'close', month, '--by', 'ann', '--why', 'a test'])
  expect([close.code, close.err]).toEqual([1, expect.stringContaining('ten minutes after its end')])
  const wrong = [['--month', '2026'], ['--group', 'hour'], ['--from', '2026-02-30'], ['shut']]
  for (const words of wrong) expect((await ergon(['report', ...words])).code).toBe(2)
}
