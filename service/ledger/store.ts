import { statement } from '../db/index.ts'

export const openAccount = statement('ledger.openAccount', `select ledger.open_account($1)`)

export const openProviders = statement('ledger.openProviders', `select ledger.open_providers($1)`)

export type BalanceRow = {
  id: string
  balance: bigint
  reserved: bigint
  withheld: bigint
  overdrawn: boolean
}

export const readBalances = statement<
  BalanceRow & { blockReason: string | null; blockedAt: Date | null }
>(
  'ledger.readBalances',
  `
  select id, balance_sun as balance, reserved_sun as reserved, withheld_sun as withheld, overdrawn,
         block_reason as "blockReason", blocked_at as "blockedAt"
    from ledger.account
   where id = any ($1::uuid[])
`,
)

export const readBlock = statement<{ reason: string | null; since: Date | null }>(
  'ledger.readBlock',
  `
  select block_reason as reason, blocked_at as since from ledger.account where id = $1
`,
)

export const blockAccount = statement<{ done: boolean }>(
  'ledger.blockAccount',
  `
  select ledger.block_account($1, $2, $3) as done
`,
)

export const unblockAccount = statement<{ done: boolean }>(
  'ledger.unblockAccount',
  `
  select ledger.unblock_account($1) as done
`,
)

export const postMany = statement<{ place: bigint; balance: bigint }>(
  'ledger.postMany',
  `
  select place, balance_after_sun as balance
    from ledger.post_many($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
   order by place
`,
)

export const transfer = statement(
  'ledger.transfer',
  `
  select ledger.transfer(g.id, g.kind, g.reference, g.debit, g.credit, g.amount, g.words, $8)
    from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::text[])
         as g(id, kind, reference, debit, credit, amount, words)
`,
)

export const refund = statement<{ balance: bigint }>(
  'ledger.refund',
  `
  select ledger.refund($1, $2, $3, $4, $5, $6, $7, $8) as balance
`,
)

export const lockAccounts = statement(
  'ledger.lockAccounts',
  `
  select from ledger.lock_accounts($1)
`,
)

export const withholdMany = statement(
  'ledger.withholdMany',
  `
  select ledger.withhold_many($1, $2)
`,
)

export const lockBalance = statement<BalanceRow>(
  'ledger.lockBalance',
  `
  select id, balance_sun as balance, reserved_sun as reserved, withheld_sun as withheld, overdrawn
    from ledger.lock_balance($1)
`,
)

export const reserve = statement(
  'ledger.reserve',
  `
  select ledger.reserve($1, $2)
`,
)

export type EntryRow = {
  id: string
  version: bigint
  kind: string
  amount: bigint
  balanceAfter: bigint
  reference: string
  description: string
  createdAt: Date
}

export const listEntries = statement<EntryRow>(
  'ledger.listEntries',
  `
  select id, version, kind, case when credit = 'client' then amount_sun else -amount_sun end as amount,
         balance_after_sun as "balanceAfter", reference_id as reference, description, created_at as "createdAt"
    from ledger.movement
   where client_id = $1 and version < $2
   order by version desc
   limit $3
`,
)

export const cursorSecret = statement<{ secret: Buffer }>(
  'ledger.cursorSecret',
  `
  select ledger.cursor_secret($1) as secret
`,
)

export type OwedRow = { clients: bigint; escrow: bigint; depositAddresses: bigint }

/** Negative balances count as zero: one client's debt does not cover another's money. */
export const readOwed = statement<OwedRow>(
  'ledger.readOwed',
  `
  select clients, escrow, deposit_addresses as "depositAddresses" from ledger.read_owed()
`,
)

export const newestMovement = statement<{ id: string }>(
  'ledger.newestMovement',
  `
  select id from ledger.movement order by id desc limit 1
`,
)

export const addUp = statement<{ movements: bigint }>(
  'ledger.addUp',
  `
  select ledger.add_up($1, $2) as movements
`,
)

export const setLowThreshold = statement(
  'ledger.setLowThreshold',
  `
  select ledger.set_low_threshold($1, $2)
`,
)

export const readLowThreshold = statement<{ threshold: bigint | null }>(
  'ledger.readLowThreshold',
  `
  select low_threshold_sun as threshold from ledger.account where id = $1
`,
)

export const versionsBefore = statement<{ first: bigint; last: bigint }>(
  'ledger.versionsBefore',
  `
  select ledger.version_before($1, $2) as first, ledger.version_before($1, $3) as last
`,
)

/** The balance after a version; version 0 is the account before its first movement. */
export const balanceAt = statement<{ balance: bigint }>(
  'ledger.balanceAt',
  `
  select coalesce((select balance_after_sun from ledger.movement where client_id = $1 and version = $2), 0) as balance
`,
)

export type KindSum = { kind: string; count: bigint; amount: bigint }

export const sumByKind = statement<KindSum>(
  'ledger.sumByKind',
  `
  select kind, count(*) as count,
         sum(case when credit = 'client' then amount_sun else -amount_sun end)::bigint as amount
    from ledger.movement
   where client_id = $1 and version > $2 and version <= $3
   group by kind
   order by kind
`,
)

export type DaySum = { day: string; kind: string; amount: bigint }

export const sumByDay = statement<DaySum>(
  'ledger.sumByDay',
  `
  select to_char(created_at at time zone 'UTC', 'YYYY-MM-DD') as day, kind,
         sum(case when credit = 'client' then amount_sun else -amount_sun end)::bigint as amount
    from ledger.movement
   where client_id = $1 and version > $2 and version <= $3
   group by 1, 2
   order by 1, 2
`,
)

export const listBetween = statement<EntryRow>(
  'ledger.listBetween',
  `
  select id, version, kind, case when credit = 'client' then amount_sun else -amount_sun end as amount,
         balance_after_sun as "balanceAfter", reference_id as reference, description, created_at as "createdAt"
    from ledger.movement
   where client_id = $1 and version > $2 and version <= $3
   order by version
`,
)

export const listNewestBetween = statement<EntryRow>(
  'ledger.listNewestBetween',
  `
  select id, version, kind, case when credit = 'client' then amount_sun else -amount_sun end as amount,
         balance_after_sun as "balanceAfter", reference_id as reference, description, created_at as "createdAt"
    from ledger.movement
   where client_id = $1 and version > $2 and version <= $3 and ($4::text is null or kind = $4)
   order by version desc
   limit $5
`,
)

/** Debits less refunds between two times, and the balance at the second one. */
export const readPeriod = statement<{ spent: bigint; balance: bigint }>(
  'ledger.readPeriod',
  `
  select (select coalesce(sum(case when debit = 'client' then amount_sun when kind = 'refund' then -amount_sun end), 0)::bigint
            from ledger.movement where client_id = $1 and version > v.first and version <= v.last) as spent,
         coalesce((select balance_after_sun from ledger.movement where client_id = $1 and version = v.last), 0) as balance
    from (select ledger.version_before($1, $2) as first, ledger.version_before($1, $3) as last offset 0) v
`,
)

export type ReferringRow = {
  id: string
  kind: string
  reference: string
  debit: string
  credit: string
  amount: bigint
  description: string
  createdAt: Date
}

/** By the primary key: every kind is named. */
export const readReferring = statement<ReferringRow>(
  'ledger.readReferring',
  `
  select id, kind, reference_id as reference, debit, credit, amount_sun as amount, description, created_at as "createdAt"
    from ledger.movement
   where kind = any ($1::text[]) and reference_id = any ($2::text[])
   order by id
   limit 200
`,
)
