import { statement } from '../db/index.ts'

export const takeFromHolding = statement(
  'deposits.takeFromHolding',
  `
  update deposits.holding set amount_sun = amount_sun - $2 where address = $1
`,
)

export type SweepableRow = { address: string; diedBefore: boolean }

/** Addresses worth a sweep by our books and by the last reading, without an open sweep and without a recent refusal. */
export const sweepable = statement<SweepableRow>(
  'deposits.sweepable',
  `
  select h.address,
         coalesce((select s.state = 'dead' from deposits.sweep s where s.address = h.address
                    order by s.created_at desc limit 1), false) as "diedBefore"
    from deposits.holding h
   where h.amount_sun >= $1 and h.amount_sun + h.difference_sun >= $1
     and not exists (select from deposits.sweep s
                      where s.address = h.address
                        and (s.state = 'open' or (s.state = 'refused' and s.ended_at > $2)))
     and h.address <> all ($4::text[])
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
    from deposits.sweep where state = 'open' and id <> all ($2::uuid[]) order by id limit $1
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
