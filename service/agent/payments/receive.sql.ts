import { statement } from '../../db/index.ts'

/** Configurations of these addresses at the time of a block. */
export const claimsAt = statement<{ configId: string; account: string; address: string }>(
  'agent.claimsAt',
  `
  select c.id as "configId", c.account_id as account, c.address
    from agent.config c
   where c.address = any ($1)
     and (select v.claims from agent.config_version v
           where v.config_id = c.id and v.valid_from < $2 order by v.valid_from desc limit 1)
`,
)

export const insertPayments = statement(
  'agent.insertPayments',
  `
  insert into agent.payment
    (id, account_id, config_id, txid, position, payer, amount_sun, status, block_number, block_time, expires_at,
     try_after, created_at)
  select g.id, g.account, g.config, g.txid, g.position, g.payer, g.amount, 'processing', $8, $9, g.expires, $11, $11
    from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::bigint[], $6::text[], $7::bigint[],
                $10::timestamptz[])
         as g(id, account, config, txid, position, payer, amount, expires)
  on conflict (txid, position) do nothing
`,
)

export const insertDust = statement(
  'agent.insertDust',
  `
  insert into agent.dust (config_id, txid, position, payer, amount_sun, block_number, created_at)
  select g.config, g.txid, g.position, g.payer, g.amount, $6, $7
    from unnest($1::uuid[], $2::text[], $3::bigint[], $4::text[], $5::bigint[])
         as g(config, txid, position, payer, amount)
  on conflict (txid, position) do nothing
`,
)

/** Payments whose block was orphaned and whose transfer is in a new block, which now decides. */
export const returnPayments = statement(
  'agent.returnPayments',
  `
  update agent.payment p
     set block_number = $3, block_time = $4, held_units = null, held_energy = null, held_cost_sun = null
    from unnest($1::text[], $2::bigint[]) as g(txid, position)
   where p.txid = g.txid and p.position = g.position and p.block_number is null and p.final_at is null
`,
)

export const orphanPayments = statement(
  'agent.orphanPayments',
  `
  update agent.payment set block_number = null where block_number = $1 and final_at is null
`,
)

export const orphanDust = statement(
  'agent.orphanDust',
  `
  delete from agent.dust where block_number = $1
`,
)
