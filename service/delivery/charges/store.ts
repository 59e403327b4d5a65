import { statement } from '../../db/index.ts'
import { OPEN } from '../market/store.ts'

export type OpenRow = { at: Date; open: string[] }

/** Attempts at a marketplace that it may charge for or give back at any moment, and the time by the database. */
export const openAttempts = statement<OpenRow>(
  'delivery.chargeable',
  `
  select clock_timestamp() as at,
         array(select a.id::text from delivery.attempt a
                where a.provider = $1 and a.called_at is not null and a.state in ${OPEN} order by a.id) as open
`,
)

export type ChargeRow = { id: string; state: string; cost: bigint; calledAt: Date }

/** Attempts at a marketplace since a time, and those with these ids. */
export const attemptsSince = statement<ChargeRow>(
  'delivery.chargesSince',
  `
  select a.id, a.state, a.cost_sun as cost, a.called_at as "calledAt"
    from delivery.attempt a
   where a.provider = $1 and a.called_at >= $2
  union
  select a.id, a.state, a.cost_sun, a.called_at from delivery.attempt a where a.id = any ($3::uuid[])
   order by 1
`,
)
