import { statement } from '../db/index.ts'
import type { ChargeRow } from './store.ts'

/** `billed_sun` of an owed call is its price, not charged yet. */
export const decideCalls = statement(
  'autoenergy.decideCalls',
  `
  update autoenergy.call c
     set state = g.state, energy_class = g.class, billed_sun = g.billed, burn_cost_sun = g.burn_cost,
         subscription_id = $6, activation = $7
    from unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::bigint[]) as g(txid, state, class, billed, burn_cost)
   where c.txid = g.txid
`,
)

/** The charge of an activation request. */
export const findEntryCharge = statement<ChargeRow>(
  'autoenergy.findEntryCharge',
  `
  select kind, reference, amount_sun as amount, counted, activation from autoenergy.charge
   where subscription_id = $1 and activation = $2 and kind in ('autoenergy_activate', 'autoenergy_daily')
     and amount_sun > 0
   order by id
   limit 1
`,
)
