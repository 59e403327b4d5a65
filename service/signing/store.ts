import { statement } from '../db/index.ts'

export const insertRequests = statement(
  'signing.insertRequests',
  `
  insert into signing.request
    (id, purpose, owner_address, raw_bytes, txid, expires_at, position, payout_id, attempt, created_at)
  select g.*, $10
    from unnest($1::uuid[], $2::text[], $3::text[], $4::bytea[], $5::text[], $6::timestamptz[], $7::bigint[],
                $8::uuid[], $9::bigint[]) as g
`,
)

export type SignedRow = {
  id: string
  txid: string
  raw: Buffer
  signature: string | null
  expiresAt: Date
}

/**
 * Locks answers so that two workers do not take the same ones; the mark is written in the same
 * transaction. Refused ones are marked too, so that they are not read again.
 */
export const claimSigned = statement<SignedRow>(
  'signing.claimSigned',
  `
  with ready as (
    select r.id
      from signing.request r
     where not r.handed_over
       and exists (select from signing.answer a where a.request_id = r.id)
     order by r.id
     limit $1
       for update skip locked
  )
  update signing.request r set handed_over = true
    from ready join signing.answer a on a.request_id = ready.id
   where r.id = ready.id
  returning r.id, r.txid, r.raw_bytes as raw, a.signature, r.expires_at as "expiresAt"
`,
)

export type AnswerRow = { id: string; state: 'signed' | 'refused'; reason: string | null }

export const readAnswers = statement<AnswerRow>(
  'signing.readAnswers',
  `
  select request_id as id, state, reason from signing.answer where request_id = any ($1)
`,
)

export type AddressRow = {
  address: string
  purpose: 'hot' | 'stake'
  permissionId: bigint | null
}

export const readAddresses = statement<AddressRow>(
  'signing.readAddresses',
  `
  select address, purpose, permission_id as "permissionId" from signing.address order by purpose, position
`,
)

/** The permissions under which stakes' transactions are signed; no row: as the owner. */
export const findPermissions = statement<{ address: string; permissionId: bigint }>(
  'signing.findPermissions',
  `
  select address, permission_id as "permissionId" from signing.address
   where address = any ($1) and permission_id is not null
`,
)

export type WaitingRow = {
  id: string
  purpose: string
  owner: string
  position: bigint | null
  /** The payout and its attempt. */
  payout: string | null
  attempt: bigint | null
  raw: Buffer
  txid: string
  expiresAt: Date
}

/** Returns nothing while signing is off: waiting requests are signed later, or expire. */
export const waitingRequests = statement<WaitingRow>(
  'signing.waitingRequests',
  `
  select r.id, r.purpose, r.owner_address as owner, r.position, r.payout_id as payout,
         r.attempt, r.raw_bytes as raw, r.txid, r.expires_at as "expiresAt"
    from signing.request r
   where not r.handed_over
     and not exists (select from signing.answer a where a.request_id = r.id)
     and (select enabled from signing.switch)
   order by r.id
   limit $1
`,
)

/** The advisory lock that the one signer holds. */
export const LEASE_KEY = [7_305, 1] as const

/** Writes answers only while session $6 holds the lease. */
export const insertAnswers = statement<{ id: string }>(
  'signing.insertAnswers',
  `
  insert into signing.answer (request_id, state, signature, reason, answered_at)
  select g.*, $5 from unnest($1::uuid[], $2::text[], $3::text[], $4::text[]) as g(id, state, signature, reason)
   where $6::int is null
      or exists (select from pg_catalog.pg_locks l
                  where l.locktype = 'advisory' and l.granted and l.pid = $6 and l.objsubid = 2
                    and l.classid = ${LEASE_KEY[0]} and l.objid = ${LEASE_KEY[1]})
   order by g.id
  on conflict (request_id) do nothing
  returning request_id as id
`,
)

export const publishAddress = statement(
  'signing.publishAddress',
  `
  insert into signing.address (address, purpose, position, permission_id) values ($1, $2, $3, $4)
  on conflict (address) do update set permission_id = excluded.permission_id
`,
)

export type SignedSinceRow = { id: string; raw: Buffer; at: Date }

/** A page of the signatures for a purpose since a time; the next page begins after its last row. */
export const signedSince = statement<SignedSinceRow>(
  'signing.signedSince',
  `
  select a.request_id as id, r.raw_bytes as raw, a.answered_at as at
    from signing.answer a join signing.request r on r.id = a.request_id
   where a.state = 'signed' and r.purpose = $1 and (a.answered_at, a.request_id) > ($2, $3)
   order by a.answered_at, a.request_id
   limit $4
`,
)

export const countWaiting = statement<{ count: bigint; oldest: Date | null }>(
  'signing.countWaiting',
  `
  select count(*) as count, min(r.created_at) as oldest
    from signing.request r
   where not r.handed_over
     and not exists (select from signing.answer a where a.request_id = r.id)
`,
)

export const readSwitch = statement<{ enabled: boolean; reason: string }>(
  'signing.readSwitch',
  `
  select enabled, reason from signing.switch
`,
)

/** The service can only turn it off. */
export const turnOff = statement('signing.turnOff', `select signing.turn_off($1)`)

/** Allowed for the signer's role only, like the next two. */
export const lockSwitch = statement(
  'signing.lockSwitch',
  `
  select enabled from signing.switch for update
`,
)

export const turnOn = statement(
  'signing.turnOn',
  `
  update signing.switch set enabled = true, reason = $1
`,
)

/** Records outflows; returns the new ones. */
export const findOutflows = statement<{ txid: string }>(
  'signing.findOutflows',
  `
  select * from signing.find_outflows($1, $2, $3, $4, $5, $6, $7, $8) as f(txid)
`,
)

export const orphanOutflows = statement(
  'signing.orphanOutflows',
  `select signing.orphan_outflows($1)`,
)

export type OutflowRow = {
  txid: string
  address: string
  to: string | null
  amount: bigint
  contract: string
  block: bigint | null
  foundAt: Date
}

export const openOutflows = statement<OutflowRow>(
  'signing.openOutflows',
  `
  select txid, address, to_address as "to", amount_sun as amount, contract, block_number as block, found_at as "foundAt"
    from signing.outflow where looked_at is null order by found_at, txid
`,
)

export const countOutflows = statement<{ count: bigint; oldest: Date | null }>(
  'signing.countOutflows',
  `
  select count(*) as count, min(found_at) as oldest from signing.outflow where looked_at is null
`,
)

export const lookAtOutflows = statement(
  'signing.lookAtOutflows',
  `
  update signing.outflow set looked_at = $2, looked_by = $3 where looked_at is null and txid = any ($1)
`,
)

/** Beginning of the refusal of a payout that lacks a second operator's approval. */
export const ONE_APPROVAL = 'a payout needs the approval of a second operator'

/** By wall time, as answers are written. Payouts that wait for a second operator do not count. */
export const countRefused = statement<{ count: bigint; oldest: Date | null }>(
  'signing.countRefused',
  `
  select count(*) as count, min(answered_at) as oldest
    from signing.answer
   where state = 'refused' and answered_at > $1 and not starts_with(reason, '${ONE_APPROVAL}')
`,
)

/** Those of the transactions that the signer signed; only its role can write answers. */
export const findSigned = statement<{ txid: string; purpose: string }>(
  'signing.findSigned',
  `
  select r.txid, r.purpose from signing.request r join signing.answer a on a.request_id = r.id
   where r.txid = any ($1) and a.state = 'signed'
`,
)

/** Those of the transactions whose signature was requested. */
export const findAsked = statement<{ txid: string }>(
  'signing.findAsked',
  `
  select txid from signing.request where txid = any ($1)
`,
)
