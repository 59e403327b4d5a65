import { READ_TIME, SOLID_NUMBER, SOLID_TIME } from '../chain/index.ts'
import { OPEN } from './market/store.ts'

// Conditions under which the loops of this room have work: service/app/dueWatch.ts asks for all at once.

export const PARTS_TO_PLACE = `(
  exists (select from delivery.part where state = 'open')
  or exists (select from delivery.attempt where act_at <= $1))`

export const REQUESTS_TO_CONCLUDE = `(
  exists (select from delivery.request where state = 'open')
  or exists (select from delivery.attempt where state in ('sending', 'sent', 'unknown')))`

/** Changes when a block holds a delegation to a receiver that we watch. */
export const LAST_SIGHTING = `(
  select concat_ws(' ', max(block_number), max(seen_at)) from delivery.sighting)`

/** Half an hour: MEASURE_AGE_MS_MAX in standing/standing.ts. */
export const STANDING_TO_LOOK_AT = `(
  exists (select from delivery.standing_move where state in ('sent', 'orphaned'))
  or exists (select from delivery.standing where look)
  or exists (select from delivery.standing
              where wanted > 0 and measured_at < ${READ_TIME} - interval '30 minutes'))`

export const partsToOrder = (provider: string) => `exists (
  select from delivery.part where state = 'open' and provider = '${provider}')`

export const ordersToLookUp = (provider: string) => `(
  exists (select from delivery.attempt
           where provider = '${provider}' and look_at <= clock_timestamp() and state in ${OPEN})
  or exists (select from delivery.attempt where provider = '${provider}' and give_back))`

/** Also reclaims that expired, and delegations whose block was orphaned. */
export const STAKE_TO_RECLAIM = `(
  exists (select from delivery.delegation
           where reclaimed_at is null and reclaim_txid is null and reclaim_at <= $1 and block_number is not null
             and provider = 'own_stake')
  or exists (select from delivery.delegation
              where reclaimed_at is null and reclaim_txid is not null and reclaim_expires_at < ${SOLID_TIME})
  or exists (select from delivery.delegation
              where block_number is null and redelivered_by is null and reclaim_at > $1))`

export const FEES_TO_BOOK = `exists (
  select from delivery.network_fee where fee_sun is null and block_number <= ${SOLID_NUMBER})`

/** Undelegations of others in solid blocks, of addresses that wait for no order. */
export const RECLAIMS_TO_JUDGE = `exists (
  select from delivery.foreign_reclaim f
   where f.decided_at is null and f.block_number <= ${SOLID_NUMBER}
     and not exists (select from delivery.request r
                      where r.state = 'open' and r.receiver_address = f.receiver_address))`
