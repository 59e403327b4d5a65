import { getTransactions, type HandledRoute, handle, refuse } from '@ergon/contract'
import { formatTrx, sun } from '../kernel/index.ts'
import type { Ledger } from './ledger.ts'
import type { EntryRow } from './store.ts'

const INVALID_CURSOR =
  'cursor is not a next_cursor of this account. Leave it out to start with the newest entry.'

export function ledgerRoutes({ ledger }: { ledger: Ledger }): HandledRoute[] {
  return [
    handle(getTransactions, async ({ account }, { query: { limit, cursor } }) => {
      const page = await ledger.entries(account, { limit, cursor })
      if (page === 'invalid_cursor') return refuse('invalid_cursor', { message: INVALID_CURSOR })
      return {
        transactions: page.entries.map(entryReply),
        has_more: page.next !== null,
        next_cursor: page.next,
      }
    }),
  ]
}

/** A movement as the API tells it. */
export function entryReply(entry: Omit<EntryRow, 'version'>) {
  return {
    id: entry.id,
    entry_type: entry.kind,
    amount_sun: entry.amount,
    amount_trx: formatTrx(sun(entry.amount)),
    balance_after_sun: entry.balanceAfter,
    balance_after_trx: formatTrx(sun(entry.balanceAfter)),
    reference_id: entry.reference,
    description: entry.description,
    created_at: entry.createdAt.toISOString(),
  }
}
