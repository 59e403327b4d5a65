import { getDeposits, type HandledRoute, handle } from '@ergon/contract'
import { formatTrx } from '../kernel/index.ts'
import type { Deposits } from './deposits.ts'

export function depositRoutes({ deposits }: { deposits: Deposits }): HandledRoute[] {
  return [
    handle(getDeposits, async ({ account }, { query }) => {
      const { limit, offset } = query
      const rows = await deposits.list(account, limit + 1, offset)
      return {
        deposits: rows.slice(0, limit).map((deposit) => ({
          tx_hash: deposit.txid,
          amount_sun: deposit.amount,
          amount_trx: formatTrx(deposit.amount),
          status: deposit.status,
          credited_at: deposit.creditedAt?.toISOString() ?? null,
          verified_at: deposit.verifiedAt?.toISOString() ?? null,
          created_at: deposit.createdAt.toISOString(),
        })),
        has_more: rows.length > limit,
      }
    }),
  ]
}
