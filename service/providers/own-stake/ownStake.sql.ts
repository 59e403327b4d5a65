import { statement } from '../../db/index.ts'

export type StakeRow = {
  owner: string
  free: bigint
  energyLimit: bigint
  energyWeight: bigint
  readBlock: bigint
}

/** Locked until the transaction ends, so that two workers do not use the same stake. */
export const lockStakes = statement<StakeRow>(
  'providers.lockStakes',
  `
  select owner_address as owner, free_sun as free, energy_limit as "energyLimit",
         energy_weight as "energyWeight", read_block as "readBlock"
    from providers.stake
   order by owner_address
     for update
`,
)

/** Delegations that the last reading of the stake does not include. */
export const stakeInFlight = statement<{ owner: string; stake: bigint }>(
  'providers.stakeInFlight',
  `
  select f.owner_address as owner, sum(f.stake_sun)::bigint as stake
    from providers.stake_in_flight f join providers.stake s on s.owner_address = f.owner_address
   where f.block_number is null or f.block_number > s.read_block
   group by f.owner_address
`,
)

export const writeStakes = statement(
  'providers.writeStakes',
  `
  insert into providers.stake (owner_address, free_sun, energy_limit, energy_weight, read_block)
  select g.owner, g.free, $3, $4, $5 from unnest($1::text[], $2::bigint[]) as g(owner, free)
   order by g.owner
  on conflict (owner_address) do update
    set free_sun = excluded.free_sun, energy_limit = excluded.energy_limit,
        energy_weight = excluded.energy_weight, read_block = excluded.read_block
`,
)

export const forgetStakes = statement(
  'providers.forgetStakes',
  `
  delete from providers.stake where owner_address <> all ($1)
`,
)

export const writeInFlight = statement(
  'providers.writeInFlight',
  `
  insert into providers.stake_in_flight (txid, owner_address, stake_sun, expires_at)
  select * from unnest($1::text[], $2::text[], $3::bigint[], $4::timestamptz[])
`,
)

/** Which of these delegations were asked for, and neither expired nor shown by the stake yet. */
export const findInFlight = statement<{ txid: string }>(
  'providers.findInFlight',
  `
  select txid from providers.stake_in_flight where txid = any ($1)
`,
)

export const landInFlight = statement(
  'providers.landInFlight',
  `
  update providers.stake_in_flight set block_number = $2 where txid = any ($1)
`,
)

export const returnInFlight = statement(
  'providers.returnInFlight',
  `
  update providers.stake_in_flight set block_number = null where block_number = $1
`,
)

/** Drops delegations that the reading includes, or that expired in no block. */
export const dropInFlight = statement(
  'providers.dropInFlight',
  `
  delete from providers.stake_in_flight
   where block_number <= $1 or (block_number is null and expires_at < $2)
`,
)
