import { statement } from '../db/index.ts'

export const foldPairs = statement<{ folded: bigint }>(
  'orders.foldPairs',
  `select orders.fold_pairs($1, $2) as folded`,
)

export const unfoldedAccounts = statement<{ account: string; behind: bigint }>(
  'orders.unfoldedAccounts',
  `select account_id as account, behind from orders.unfolded_accounts($1, $2)`,
)
