import { statement } from '../db/index.ts'

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
     and (select enabled from signing.switch) and r.id <> all ($2::uuid[])
   order by r.id
   limit $1
`,
)

/** Whether a request waits for its answer, or a cancellation for being recorded. */
export const readWanted = statement<{ wanted: boolean }>(
  'signing.readWanted',
  `
  select exists (select from signing.request r
                  where not r.handed_over and not exists (select from signing.answer a where a.request_id = r.id))
         or exists (select from signing.cancellation where recorded_at is null) as wanted
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

/** Allowed for the signer's role only. */
export const publishDepositRoot = statement(
  'signing.publishDepositRoot',
  `
  insert into signing.deposit_root (first_address) values ($1)
  on conflict (only_row) do update set first_address = excluded.first_address
`,
)

export const readDepositRoot = statement<{ address: string }>(
  'signing.readDepositRoot',
  `
  select first_address as address from signing.deposit_root
`,
)

export type DestinationRow = { address: string; hour: bigint; day: bigint }

/** Destinations of the treasury in the signer's file that count at this time. */
export const readDestinations = statement<DestinationRow>(
  'signing.readDestinations',
  `
  select address, hour_sun as hour, day_sun as day from signing.treasury_destination
   where effective_from <= $1 order by address
`,
)

/** Allowed for the signer's role only: what its file no longer has goes, the rest is as the file has it. */
export const dropDestinations = statement(
  'signing.dropDestinations',
  `
  delete from signing.treasury_destination where address <> all ($1::text[])
`,
)

export const publishDestinations = statement(
  'signing.publishDestinations',
  `
  insert into signing.treasury_destination (address, hour_sun, day_sun, effective_from)
  select * from unnest($1::text[], $2::bigint[], $3::bigint[], $4::timestamptz[])
  on conflict (address) do update
    set hour_sun = excluded.hour_sun, day_sun = excluded.day_sun, effective_from = excluded.effective_from
`,
)

export type SignedSinceRow = { id: string; purpose: string; raw: Buffer; at: Date }

/** A page of the signatures for some purposes since a time; the next page begins after its last row. */
export const signedSince = statement<SignedSinceRow>(
  'signing.signedSince',
  `
  select a.request_id as id, r.purpose, r.raw_bytes as raw, a.answered_at as at
    from signing.answer a join signing.request r on r.id = a.request_id
   where a.state = 'signed' and r.purpose = any ($1::text[]) and (a.answered_at, a.request_id) > ($2, $3)
   order by a.answered_at, a.request_id
   limit $4
`,
)

export const readSwitch = statement<{ enabled: boolean; reason: string }>(
  'signing.readSwitch',
  `
  select enabled, reason from signing.switch
`,
)

export type OutflowRow = {
  txid: string
  address: string
  to: string | null
  amount: bigint
  contract: string
  block: bigint | null
  foundAt: Date
  /** What recovery made of it; null: nothing. */
  bookedAs: string | null
  payout: string | null
  attempt: bigint | null
}

export const openOutflows = statement<OutflowRow>(
  'signing.openOutflows',
  `
  select txid, address, to_address as "to", amount_sun as amount, contract, block_number as block, found_at as "foundAt",
         booked_as as "bookedAs", payout_id as payout, attempt
    from signing.outflow where looked_at is null order by found_at, txid
`,
)
