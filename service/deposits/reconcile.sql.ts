import { statement } from '../db/index.ts'

/** All that follows in this transaction is read as of one moment. */
export const asOfOneMoment = statement(
  'deposits.asOfOneMoment',
  `
  set transaction isolation level repeatable read, read only
`,
)

/** What the chain has more on deposit addresses than our books, and how many have money. */
export const knownDifferences = statement<{ amount: bigint; held: bigint }>(
  'deposits.knownDifferences',
  `
  select (select coalesce(sum(difference_sun), 0)::bigint from deposits.holding where difference_sun <> 0) as amount,
         p.held
    from deposits.pass p
`,
)

export type OpenSweepRow = { txid: string; amount: bigint }

export const sweepsUnderWay = statement<OpenSweepRow>(
  'deposits.sweepsUnderWay',
  `
  select txid, amount_sun as amount from deposits.sweep where state = 'open' order by id
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
