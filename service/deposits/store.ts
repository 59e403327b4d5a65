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

export const COLUMNS = `
  id, kind, account_id as account, txid, position, address, amount_sun as amount, status, block_number as "blockNumber",
  posted, credited_at as "creditedAt", verified_at as "verifiedAt", created_at as "createdAt"`

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

export const readSwitch = statement<{ enabled: boolean; reason: string }>(
  'deposits.readSwitch',
  `
  select sweeps_enabled as enabled, reason from deposits.switch
`,
)
