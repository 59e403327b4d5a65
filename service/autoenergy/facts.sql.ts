import { statement } from '../db/index.ts'
import type { ChargeRow } from './store.ts'

export const insertCalls = statement<{ txid: string }>(
  'autoenergy.insertCalls',
  `
  insert into autoenergy.call as c
    (txid, subscription_id, account_id, address, block_number, block_time, position, result, energy, energy_usage,
     burned_sun, fee_limit_sun, expires_at, state)
  select g.txid, s.id, s.account_id, s.address, $10, $11, g.position, g.result, g.energy, g.usage, g.burned, g.fee_limit,
         g.expires, 'seen'
    from unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[], $9::timestamptz[])
         as g(txid, address, position, result, energy, usage, burned, fee_limit, expires)
    join autoenergy.subscription s on s.address = g.address and s.live
   order by g.txid
  on conflict (txid) do nothing
  returning c.txid
`,
)

/**
 * Calls whose block was orphaned and that are in a new block. On the new branch they may have used
 * other Energy: undecided calls take the new receipt.
 */
export const returnCalls = statement<{ txid: string }>(
  'autoenergy.returnCalls',
  `
  update autoenergy.call c
     set block_number = $2, block_time = $3, position = g.position,
         result = case when c.state = 'seen' then g.result else c.result end,
         energy = case when c.state = 'seen' then g.energy else c.energy end,
         energy_usage = case when c.state = 'seen' then g.usage else c.energy_usage end,
         burned_sun = case when c.state = 'seen' then g.burned else c.burned_sun end
    from unnest($1::text[], $4::bigint[], $5::text[], $6::bigint[], $7::bigint[], $8::bigint[])
         as g(txid, position, result, energy, usage, burned)
   where c.txid = g.txid
     and c.txid in (select o.txid from autoenergy.call o
                     where o.txid = any ($1) and o.block_number is null and not o.final order by o.txid for update)
  returning c.txid
`,
)

export const orphanCalls = statement<{ txid: string }>(
  'autoenergy.orphanCalls',
  `
  update autoenergy.call c set block_number = null
   where c.txid in (select o.txid from autoenergy.call o
                     where o.block_number = $1 and not o.final order by o.txid for update)
  returning c.txid
`,
)

export const findUnitCharge = statement<ChargeRow>(
  'autoenergy.findUnitCharge',
  `
  select kind, reference, amount_sun as amount, counted, activation from autoenergy.charge
   where kind = 'autoenergy_unit' and reference = $1 and amount_sun > 0
`,
)

/** Decided calls in solid blocks: all but those of $3, or only that of $4. */
export const finishCalls = statement<{ txid: string }>(
  'autoenergy.finishCalls',
  `
  update autoenergy.call c set final = true
   where c.txid in (select o.txid from autoenergy.call o
                     where not o.final and o.block_number <= $1 and o.state <> 'seen'
                       and o.txid <> all ($3::text[]) and ($4::text is null or o.txid = $4)
                     order by o.txid limit $2 for update skip locked)
  returning c.txid
`,
)

export const solidCalls = statement<{ id: string }>(
  'autoenergy.solidCalls',
  `
  select txid as id from autoenergy.call
   where not final and block_number <= $1 and state <> 'seen' and txid <> all ($3::text[])
   order by txid limit $2
`,
)

/** Orphaned calls that can no longer be mined. */
export const deadCalls = statement<{ txid: string; subscription: string }>(
  'autoenergy.deadCalls',
  `
  select txid, subscription_id as subscription from autoenergy.call
   where not final and block_number is null and expires_at < $1 and txid <> all ($3::text[])
   order by txid limit $2
`,
)

export const lockDeadCall = statement<{ state: string; time: Date }>(
  'autoenergy.lockDeadCall',
  `
  select state, block_time as time from autoenergy.call
   where txid = $1 and not final and block_number is null for update
`,
)

export const reverseCall = statement(
  'autoenergy.reverseCall',
  `
  update autoenergy.call set state = 'reversed', final = true where txid = $1
`,
)

export const lastCallAt = statement<{ at: Date | null }>(
  'autoenergy.lastCallAt',
  `
  select max(block_time) as at from autoenergy.call
   where subscription_id = $1 and activation = $2 and state in ('billed', 'free')
`,
)
