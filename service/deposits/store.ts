import { statement } from '../db/index.ts'

export type DepositRow = {
  id: string
  kind: 'deposit' | 'agent_revenue'
  account: string
  txid: string
  position: bigint
  address: string
  amount: bigint
  status: 'pending' | 'confirmed' | 'reverted'
  blockNumber: bigint | null
  posted: boolean
  creditedAt: Date | null
  verifiedAt: Date | null
  createdAt: Date
}

const COLUMNS = `
  id, kind, account_id as account, txid, position, address, amount_sun as amount, status, block_number as "blockNumber",
  posted, credited_at as "creditedAt", verified_at as "verifiedAt", created_at as "createdAt"`

export const insertDeposits = statement<DepositRow>(
  'deposits.insertDeposits',
  `
  insert into deposits.deposit
    (id, account_id, txid, position, address, amount_sun, status, block_number, expires_at, created_at, kind)
  select g.id, g.account, g.txid, g.position, g.address, g.amount, 'pending', $8, g.expires, $9, g.kind
    from unnest($1::uuid[], $2::uuid[], $3::text[], $4::bigint[], $5::text[], $6::bigint[], $7::timestamptz[],
                $10::text[])
         as g(id, account, txid, position, address, amount, expires, kind)
  on conflict (txid, position) do nothing
  returning ${COLUMNS}
`,
)

/** Deposits whose block was orphaned and whose transfer is in a new block. */
export const returnDeposits = statement<DepositRow>(
  'deposits.returnDeposits',
  `
  update deposits.deposit d set block_number = $3
    from unnest($1::text[], $2::bigint[]) as g(txid, position)
   where d.txid = g.txid and d.position = g.position and d.block_number is null and d.status = 'pending'
  returning d.id, d.kind, d.account_id as account, d.txid, d.position, d.address, d.amount_sun as amount, d.status,
            d.block_number as "blockNumber", d.posted, d.credited_at as "creditedAt",
            d.verified_at as "verifiedAt", d.created_at as "createdAt"
`,
)

export const unverifiedCredit = statement<{ account: string; amount: bigint }>(
  'deposits.unverifiedCredit',
  `select account_id as account, sum(amount_sun)::bigint as amount
     from deposits.deposit
    where account_id = any ($1) and verified_at is null and posted
    group by account_id`,
)

/** Unverified credit that counts towards the service's limit: of each account the part above $1. */
export const serviceCredit = statement<{ service: bigint }>(
  'deposits.serviceCredit',
  `
  select coalesce(sum(greatest(a.amount - $1, 0)), 0)::bigint as service
    from (select sum(amount_sun)::bigint as amount from deposits.deposit
           where posted and verified_at is null group by account_id) a
`,
)

export const waitingRevenue = statement<{ amount: bigint }>(
  'deposits.waitingRevenue',
  `
  select amount_sun as amount from deposits.deposit
   where txid = $1 and position = $2 and kind = 'agent_revenue' and not posted and block_number is not null
`,
)

export const confirmDeposits = statement(
  'deposits.confirmDeposits',
  `
  update deposits.deposit set status = 'confirmed', posted = true, credited_at = $2 where id = any ($1)
`,
)

export const orphanDeposits = statement<DepositRow>(
  'deposits.orphanDeposits',
  `
  update deposits.deposit set status = 'pending', credited_at = null, block_number = null
   where block_number = $1 and verified_at is null
  returning ${COLUMNS}
`,
)

/** Deposits in solid blocks that are not final yet. */
export const lockSolid = statement<DepositRow>(
  'deposits.lockSolid',
  `
  select ${COLUMNS}
    from deposits.deposit
   where verified_at is null and status <> 'reverted' and block_number <= $1
   order by id
   limit $2
     for update
`,
)

export const verifyDeposits = statement(
  'deposits.verifyDeposits',
  `
  update deposits.deposit
     set status = 'confirmed', posted = true, credited_at = coalesce(credited_at, $2), verified_at = $2
   where id = any ($1)
`,
)

/** Orphaned deposits whose transfer can no longer be mined. */
export const lockDead = statement<DepositRow>(
  'deposits.lockDead',
  `
  select ${COLUMNS}
    from deposits.deposit
   where verified_at is null and status = 'pending' and block_number is null and expires_at < $1
   order by id
   limit $2
     for update
`,
)

export const revertDeposits = statement(
  'deposits.revertDeposits',
  `
  update deposits.deposit set status = 'reverted', posted = false where id = any ($1)
`,
)

export const listDeposits = statement<DepositRow>(
  'deposits.listDeposits',
  `
  select ${COLUMNS}
    from deposits.deposit
   where account_id = $1 and kind = 'deposit'
   order by created_at desc, id desc
   limit $2 offset $3
`,
)

/** Credited and not reverted. */
export const confirmedTotal = statement<{ total: bigint }>(
  'deposits.confirmedTotal',
  `
  select coalesce(sum(amount_sun), 0)::bigint as total
    from deposits.deposit where account_id = $1 and status = 'confirmed'
`,
)

export const recordTokens = statement(
  'deposits.recordTokens',
  `
  insert into deposits.token (txid, position, token_address, address, amount, block_number, created_at)
  select g.*, $6, $7 from unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::numeric[]) as g
  on conflict (txid, position) do nothing
`,
)

export const orphanTokens = statement(
  'deposits.orphanTokens',
  `
  delete from deposits.token where block_number = $1
`,
)

/** Adds verified TRX to the holdings of these addresses. */
export const addToHoldings = statement(
  'deposits.addToHoldings',
  `
  insert into deposits.holding as h (address, amount_sun)
  select g.address, sum(g.amount)::bigint
    from unnest($1::text[], $2::bigint[]) as g(address, amount) group by g.address order by g.address
  on conflict (address) do update set amount_sun = h.amount_sun + excluded.amount_sun
`,
)

export const takeFromHolding = statement(
  'deposits.takeFromHolding',
  `
  update deposits.holding set amount_sun = amount_sun - $2 where address = $1
`,
)

export type SweepableRow = { address: string; diedBefore: boolean }

/** Addresses worth a sweep, without an open sweep and without a recent refusal. */
export const sweepable = statement<SweepableRow>(
  'deposits.sweepable',
  `
  select h.address,
         coalesce((select s.state = 'dead' from deposits.sweep s where s.address = h.address
                    order by s.created_at desc limit 1), false) as "diedBefore"
    from deposits.holding h
   where h.amount_sun >= $1
     and not exists (select from deposits.sweep s
                      where s.address = h.address
                        and (s.state = 'open' or (s.state = 'refused' and s.ended_at > $2)))
   order by h.amount_sun desc
   limit $3
`,
)

export const lockHolding = statement<{ amount: bigint }>(
  'deposits.lockHolding',
  `
  select amount_sun as amount from deposits.holding where address = $1 for update
`,
)

/** A separate statement after the lock, so that it sees the rows committed during the wait. */
export const findOpenSweep = statement<{ id: string }>(
  'deposits.findOpenSweep',
  `
  select id from deposits.sweep where address = $1 and state = 'open'
`,
)

export const insertSweep = statement(
  'deposits.insertSweep',
  `
  insert into deposits.sweep (id, address, amount_sun, txid, signing_request, state, created_at)
  values ($1, $2, $3, $4, $5, 'open', $6)
`,
)

export type SweepRow = {
  id: string
  address: string
  amount: bigint
  txid: string
  signingRequest: string
}

export const openSweeps = statement<SweepRow>(
  'deposits.openSweeps',
  `
  select id, address, amount_sun as amount, txid, signing_request as "signingRequest"
    from deposits.sweep where state = 'open' order by id limit $1
`,
)

export const endSweep = statement<{ id: string }>(
  'deposits.endSweep',
  `
  update deposits.sweep set state = $2, fee_sun = $3, reason = $4, ended_at = $5
   where id = $1 and state = 'open'
  returning id
`,
)

export const readSwitch = statement<{ enabled: boolean; reason: string }>(
  'deposits.readSwitch',
  `
  select sweeps_enabled as enabled, reason from deposits.switch
`,
)

export const setSwitch = statement(
  'deposits.setSwitch',
  `
  update deposits.switch set sweeps_enabled = $1, reason = $2
`,
)

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

export type TreasuryRow = {
  held: bigint
  addresses: bigint
  openSweeps: bigint
  refusedSweeps: bigint
  payoutsRequested: bigint
  payoutsUnderWay: bigint
}

export const readTreasury = statement<TreasuryRow>(
  'deposits.readTreasury',
  `
  select (select coalesce(sum(amount_sun), 0)::bigint from deposits.holding where amount_sun > 0) as held,
         (select count(*) from deposits.holding where amount_sun > 0) as addresses,
         (select count(*) from deposits.sweep where state = 'open') as "openSweeps",
         (select count(*) from deposits.sweep where state = 'refused' and ended_at > $1) as "refusedSweeps",
         (select count(*) from deposits.payout where state in ('requested', 'expired')) as "payoutsRequested",
         (select count(*) from deposits.payout where state in ('approved', 'cancelling')) as "payoutsUnderWay"
`,
)

/** Transactions that match a sweep or payout of ours exactly. */
export const knownTransfers = statement<{ txid: string }>(
  'deposits.knownTransfers',
  `
  select g.txid
    from unnest($1::text[], $2::text[], $3::text[], $4::bigint[]) as g(txid, owner, receiver, amount)
   where exists (select from deposits.sweep s
                  where s.txid = g.txid and s.address = g.owner and s.amount_sun = g.amount and g.receiver = any ($5::text[]))
      or exists (select from deposits.payout p
                  where p.txid = g.txid and p.to_address = g.receiver and p.amount_sun = g.amount and g.owner = any ($5))
`,
)
