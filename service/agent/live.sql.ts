import { statement } from '../db/index.ts'
import type { Payment } from './payment.ts'

export type LiveRow = Pick<
  Payment,
  | 'id'
  | 'configId'
  | 'payer'
  | 'txid'
  | 'amount'
  | 'units'
  | 'energy'
  | 'status'
  | 'skipReason'
  | 'orderId'
>

/** The newest payments of each pair of configuration and payer, oldest first. */
export const listLive = statement<LiveRow>(
  'agent.listLive',
  `
  select p.id, p.config_id as "configId", p.payer, p.txid, p.amount_sun as amount, p.units, p.energy, p.status,
         p.skip_reason as "skipReason", p.order_id as "orderId"
    from unnest($1::uuid[], $2::text[]) as g(config, payer)
    join lateral (
      select * from agent.payment p
       where p.config_id = g.config and p.payer = g.payer and p.created_at > $3
       order by p.created_at desc, p.id desc limit $4) p on true
   order by p.created_at, p.id
`,
)
