import { statement } from '../../db/index.ts'

/** A payment that waits for its revenue is due when its block is final. */
export const findUndecided = statement<{ id: string; account: string }>(
  'agent.findUndecided',
  `
  select id, account_id as account from agent.payment
   where status = 'processing' and block_number is not null and try_after <= $1
     and (held_units is null or final_at is not null) and id <> all ($3::uuid[])
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
  mode: 'own' | 'generated'
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
  p.id, p.account_id as account, p.config_id as "configId", c.public_id as "publicId", c.title, c.mode,
  c.address, p.txid, p.position, p.payer, p.amount_sun as amount,
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
 * Offers that can decide each payment, newest first: the offer at its block, and the offers that were
 * valid within $2 ms before it. An offer is valid until its next version.
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
