import { statement } from '../../db/index.ts'

export const recordMeasure = statement(
  'delivery.recordMeasure',
  `
  update delivery.standing set available = $2, measured_at = $3, look = $4 where address = $1
`,
)

export const recordUse = statement(
  'delivery.recordUse',
  `
  update delivery.standing
     set used = $2, used_at = $3, explained = $4, explained_at = $5, suspect_used = $6, suspect_at = $7,
         suspect_block = $8, began_block = $9, judged = $10, judged_block = $11,
         judged_at = $12, paid_for = $13
   where address = $1
`,
)

export const addStray = statement(
  'delivery.addStray',
  `
  update delivery.standing set strayed = strayed + $2 where address = $1
`,
)

/** All use is counted: the address can get Energy again. */
export const closeUse = statement(
  'delivery.closeUse',
  `
  update delivery.standing set judged_block = null, look = false where address = $1
`,
)

export type HeldRow = { owner: string; stake: bigint }

/** Stake delegated to the address, by owner. */
export const heldStake = statement<HeldRow>(
  'delivery.heldStake',
  `
  select owner_address as owner, sum(case kind when 'delegate' then stake_sun else -stake_sun end)::bigint as stake
    from delivery.standing_move
   where address = $1 and state = 'done'
   group by owner_address
  having sum(case kind when 'delegate' then stake_sun else -stake_sun end) > 0
   order by owner_address
`,
)

export const insertMove = statement(
  'delivery.insertMove',
  `
  insert into delivery.standing_move
    (txid, address, kind, owner_address, stake_sun, signing_request, expires_at, state, empties)
  values ($1, $2, $3, $4, $5, $6, $7, 'sent', $8)
`,
)
