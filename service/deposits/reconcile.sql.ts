import { statement } from '../db/index.ts'

/** Holdings of deposit addresses by our books, largest first. */
export const heldAddresses = statement<{ address: string; amount: bigint }>(
  'deposits.heldAddresses',
  `
  select address, amount_sun as amount from deposits.holding where amount_sun > 0 order by amount_sun desc
`,
)

/** Credit in the ledger whose block is not solid yet. */
export const creditNotVerified = statement<{ amount: bigint }>(
  'deposits.creditNotVerified',
  `
  select coalesce(sum(amount_sun), 0)::bigint as amount
    from deposits.deposit where posted and verified_at is null
`,
)

/** Stores the newest reconciliation of any process. */
export const writeReconciliation = statement(
  'deposits.writeReconciliation',
  `
  insert into deposits.reconciliation as r (result, surplus_sun, read_at) values ($1, $2, $3)
  on conflict (only_row) do update
    set result = excluded.result, surplus_sun = excluded.surplus_sun, read_at = excluded.read_at
`,
)

export const readReconciliation = statement<{ result: unknown; readAt: Date }>(
  'deposits.readReconciliation',
  `
  select result, read_at as "readAt" from deposits.reconciliation
`,
)
