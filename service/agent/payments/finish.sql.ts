import { statement } from '../../db/index.ts'

export const endPayments = statement(
  'agent.endPayments',
  `
  update agent.payment p set status = g.status, energy = case when g.status = 'failed' then 0 else p.energy end
    from unnest($1::uuid[], $2::text[]) as g(order_id, status)
   where p.order_id = g.order_id and p.status = 'delivering'
`,
)

/** All but those of $4, or only that of $5. */
export const finishSolid = statement<{ id: string }>(
  'agent.finishSolid',
  `
  update agent.payment set final_at = $2
   where id in (select id from agent.payment
                 where final_at is null and block_number <= $1 and id <> all ($4::uuid[])
                   and ($5::uuid is null or id = $5)
                 order by id limit $3 for update skip locked)
  returning id
`,
)

export const solidPayments = statement<{ id: string }>(
  'agent.solidPayments',
  `
  select id from agent.payment
   where final_at is null and block_number <= $1 and id <> all ($3::uuid[])
   order by id limit $2
`,
)

export type DeadRow = {
  id: string
  account: string
  configId: string
  publicId: string
  title: string
  txid: string
  payer: string
  amount: bigint
  status: string
}

/** Orphaned payments whose transfer can no longer be mined. */
export const lockDead = statement<DeadRow>(
  'agent.lockDead',
  `
  select p.id, p.account_id as account, p.config_id as "configId", c.public_id as "publicId", c.title, p.txid, p.payer,
         p.amount_sun as amount, p.status
    from agent.payment p join agent.config c on c.id = p.config_id
   where p.final_at is null and p.block_number is null and p.expires_at < $1 and p.id <> all ($3::uuid[])
   order by p.id
   limit $2
     for update of p skip locked
`,
)

export const markOrphaned = statement(
  'agent.markOrphaned',
  `
  update agent.payment set orphaned = true, final_at = $2 where id = any ($1)
`,
)

/** Delivered sales whose transfer left the chain for good. */
export const lockUncompensated = statement<{
  id: string
  account: string
  cost: bigint
  txid: string
}>(
  'agent.lockUncompensated',
  `
  select id, account_id as account, cost_sun as cost, txid from agent.payment
   where orphaned and not compensated and status = 'completed' and id <> all ($2::uuid[])
   order by id
   limit $1
     for update skip locked
`,
)

export const markCompensated = statement(
  'agent.markCompensated',
  `
  update agent.payment set compensated = true where id = any ($1)
`,
)
