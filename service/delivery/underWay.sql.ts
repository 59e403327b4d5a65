import { statement } from '../db/index.ts'
import { OPEN } from './market/store.ts'

/** A part of an open request that is neither delivered nor failed. */
export type UnderWayRow = {
  /** Null: the request has no such part and is about to be settled or planned again. */
  provider: string | null
  /** Null: the part is not placed yet, or its attempt has just ended. */
  state: string | null
  txid: string | null
  orderId: string | null
  /** A scripted fault holds it until a business time. */
  isDelayed: boolean
  /** A block on the chain holds its delegation. */
  seen: boolean
}

/** Parts of requests that are open and whose deadline is after $1. */
export const partsUnderWay = statement<UnderWayRow>(
  'delivery.partsUnderWay',
  `
  select p.provider, a.state, a.txid, a.order_id as "orderId", a.act_at is not null as "isDelayed",
         exists (select from delivery.delegation d where d.txid = a.txid and d.block_number is not null) as seen
    from delivery.request r
    left join delivery.part p on p.request_id = r.id and p.state in ('open', 'trying')
    left join delivery.attempt a on a.part_id = p.id and a.state in ${OPEN}
   where r.state = 'open' and r.deadline_at > $1
   order by r.id
   limit 1000
`,
)

/** Delegations of standing Energy that no block holds yet. */
export const movesUnderWay = statement<{ txid: string }>(
  'delivery.movesUnderWay',
  `
  select txid from delivery.standing_move where state = 'sent' and kind = 'delegate' order by txid limit 1000
`,
)

/** Addresses below their level whose next reading is due or running: a reading takes milliseconds. */
export const readingsUnderWay = statement<{ address: string }>(
  'delivery.readingsUnderWay',
  `
  select address from delivery.standing
   where wanted > 0 and coalesce(available, 0) < wanted
     and (measured_at is null
          or (look and coalesce(looked_at, 'infinity') > clock_timestamp() - interval '500 milliseconds'))
   limit 1
`,
)
