import { statement } from '../db/index.ts'

type Changed = { changedBy: string; changedAt: Date; reason: string }

export type HotWalletRow = Changed & {
  enabled: boolean
  floor: bigint
  ceiling: bigint
  cold: string
}

const CHANGED = `changed_by as "changedBy", changed_at as "changedAt", reason`

export const readHotWallet = statement<HotWalletRow>(
  'treasury.readHotWallet',
  `
  select enabled, floor_sun as floor, ceiling_sun as ceiling, cold_address as cold, ${CHANGED} from treasury.hot_wallet
`,
)

/** Keeps whether it is on. */
export const setHotWallet = statement(
  'treasury.setHotWallet',
  `
  insert into treasury.hot_wallet (floor_sun, ceiling_sun, cold_address, changed_by, changed_at, reason)
  values ($1, $2, $3, $4, $5, $6)
  on conflict (only_row) do update
    set floor_sun = excluded.floor_sun, ceiling_sun = excluded.ceiling_sun, cold_address = excluded.cold_address,
        changed_by = excluded.changed_by, changed_at = excluded.changed_at, reason = excluded.reason
`,
)

export const turnHotWallet = statement(
  'treasury.turnHotWallet',
  `
  update treasury.hot_wallet set enabled = $1, changed_by = $2, changed_at = $3, reason = $4
`,
)

export type FloatRow = Changed & {
  provider: string
  enabled: boolean
  address: string
  floor: bigint
  ceiling: bigint
  dailyCap: bigint
}

export const readFloats = statement<FloatRow>(
  'treasury.readFloats',
  `
  select provider, enabled, deposit_address as address, floor_sun as floor, ceiling_sun as ceiling,
         daily_cap_sun as "dailyCap", ${CHANGED}
    from treasury.float order by provider
`,
)

export const setFloat = statement(
  'treasury.setFloat',
  `
  insert into treasury.float
    (provider, deposit_address, floor_sun, ceiling_sun, daily_cap_sun, changed_by, changed_at, reason)
  values ($1, $2, $3, $4, $5, $6, $7, $8)
  on conflict (provider) do update
    set deposit_address = excluded.deposit_address, floor_sun = excluded.floor_sun, ceiling_sun = excluded.ceiling_sun,
        daily_cap_sun = excluded.daily_cap_sun, changed_by = excluded.changed_by, changed_at = excluded.changed_at,
        reason = excluded.reason
`,
)

export const turnFloat = statement(
  'treasury.turnFloat',
  `
  update treasury.float set enabled = $2, changed_by = $3, changed_at = $4, reason = $5 where provider = $1
`,
)

/** Whether the settings still say so: somebody may have turned it off, or changed the address, since the reading. */
export const isStillSet = statement<{ isSet: boolean }>(
  'treasury.isStillSet',
  `
  select case when $1 = 'surplus'
              then exists (select from treasury.hot_wallet where enabled and cold_address = $3)
              else exists (select from treasury.float where provider = $2 and enabled and deposit_address = $3)
         end as "isSet"
`,
)
