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

/** A payment that waits for its revenue is due when its block is final. */
export const findUndecided = statement<{ id: string; account: string }>(
  'agent.findUndecided',
  `
  select id, account_id as account from agent.payment
   where status = 'processing' and block_number is not null and try_after <= $1
     and (held_units is null or final_at is not null)
   order by created_at, id
   limit $2
`,
)

export type UndecidedRow = {
  id: string
  account: string
  configId: string
  publicId: string
  title: string
  address: string
  txid: string
  position: bigint
  payer: string
  amount: bigint
  /** Start of the time for which a sale is retried. */
  retriesSince: Date
  blockTime: Date
  /** The deal kept while it waits for its revenue; null when it has not waited. */
  heldUnits: bigint | null
  heldEnergy: bigint | null
  heldCost: bigint | null
  heldBase: bigint | null
  heldPerUnit: bigint | null
  /** Status at the block; null when the configuration did not exist then. */
  active: boolean | null
}

const UNDECIDED = `
  p.id, p.account_id as account, p.config_id as "configId", c.public_id as "publicId", c.title, c.address, p.txid,
  p.position, p.payer, p.amount_sun as amount,
  coalesce(case when p.held_units is not null then p.final_at end, p.created_at) as "retriesSince",
  p.block_time as "blockTime", p.held_units as "heldUnits", p.held_energy as "heldEnergy",
  p.held_cost_sun as "heldCost", p.base_payment_sun as "heldBase", p.energy_per_unit as "heldPerUnit",
  v.active and v.claims as active`

/** With the status of the configuration at the transfer's block. */
export const readUndecided = statement<UndecidedRow>(
  'agent.readUndecided',
  `
  select ${UNDECIDED}
    from agent.payment p
    join agent.config c on c.id = p.config_id
    left join lateral (
      select * from agent.config_version v
       where v.config_id = p.config_id and v.valid_from < p.block_time
       order by v.valid_from desc limit 1) v on true
   where p.id = any ($1) and p.status = 'processing' and p.block_number is not null
   order by p.created_at, p.id
`,
)

export type OfferRow = {
  payment: string
  energyPerUnit: bigint
  basePayment: bigint
  maxUnits: bigint
}

/**
 * Offers that each payment may be judged by, newest first: that of its block, and those that were
 * valid within $2 ms before it. A version is valid until the next one.
 */
export const readOffers = statement<OfferRow>(
  'agent.readOffers',
  `
  select p.id as payment, v.energy_per_unit as "energyPerUnit", v.base_payment_sun as "basePayment",
         v.max_units as "maxUnits"
    from agent.payment p
    join agent.config_version v on v.config_id = p.config_id
   where p.id = any ($1) and v.valid_from < p.block_time
     and v.valid_from >= coalesce(
           (select max(w.valid_from) from agent.config_version w
             where w.config_id = p.config_id
               and w.valid_from <= p.block_time - make_interval(secs => $2 / 1000.0)),
           '-infinity')
   order by p.id, v.valid_from desc
`,
)

/** Returns no row when another worker has it, or its block was orphaned or changed meanwhile. */
export const lockUndecided = statement<{ id: string }>(
  'agent.lockUndecided',
  `
  select id from agent.payment
   where id = $1 and status = 'processing' and block_number is not null and block_time = $2
     for update skip locked
`,
)

/** Locked before the ledger, because a short balance pauses them. */
export const lockActive = statement<{ id: string }>(
  'agent.lockActive',
  `
  select id from agent.config
   where account_id = $1 and status = 'active' and deleted_at is null
   order by id
     for update
`,
)

export const pauseShort = statement(
  'agent.pauseShort',
  `
  update agent.config set status = 'paused', pause_reason = 'insufficient_balance', updated_at = $2 where id = any ($1)
`,
)

export const sellPayment = statement(
  'agent.sellPayment',
  `
  update agent.payment
     set status = 'delivering', units = $2, energy = $3, cost_sun = $4, base_payment_sun = $5, energy_per_unit = $6,
         order_id = $7, decided_at = $8
   where id = $1
`,
)

export const skipPayment = statement(
  'agent.skipPayment',
  `
  update agent.payment set status = 'skipped', skip_reason = $2, decided_at = $3 where id = $1
`,
)

export const delayPayment = statement(
  'agent.delayPayment',
  `
  update agent.payment set try_after = $2 where id = $1
`,
)

/** Keeps the deal until the revenue is final. */
export const holdPayment = statement(
  'agent.holdPayment',
  `
  update agent.payment
     set held_units = $2, held_energy = $3, held_cost_sun = $4, base_payment_sun = $5, energy_per_unit = $6,
         try_after = $7
   where id = $1
`,
)

export const endPayments = statement(
  'agent.endPayments',
  `
  update agent.payment p set status = g.status, energy = case when g.status = 'failed' then 0 else p.energy end
    from unnest($1::uuid[], $2::text[]) as g(order_id, status)
   where p.order_id = g.order_id and p.status = 'delivering'
`,
)

export const finishSolid = statement<{ id: string }>(
  'agent.finishSolid',
  `
  update agent.payment set final_at = $2
   where id in (select id from agent.payment where final_at is null and block_number <= $1
                 order by id limit $3 for update skip locked)
  returning id
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
   where p.final_at is null and p.block_number is null and p.expires_at < $1
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
   where orphaned and not compensated and status = 'completed'
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
