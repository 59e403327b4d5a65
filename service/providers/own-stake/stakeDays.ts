import type { Tx } from '../../db/index.ts'
import { readStakeDays, type StakeDayRow } from './costing.sql.ts'

/**
 * What own stake had to earn on each day from `from` until before `to`, worked out and never booked. Days before the first costing
 * have none.
 */
export function stakeDays(
  tx: Pick<Tx, 'query'>,
  range: { from: string; to: string },
): Promise<StakeDayRow[]> {
  return tx.query(readStakeDays, [range.from, range.to])
}
