import { statement } from '../../db/index.ts'

export const OPEN = `('sending', 'sent', 'unknown', 'undecided')`

export const claimTransactions = statement(
  'delivery.claimTransactions',
  `
  insert into delivery.claim (txid, attempt_id) select txid, $2 from unnest($1::text[]) as txid
   order by txid
  on conflict (txid) do nothing
`,
)

/** Orders whose Energy is of no use any more, for marketplaces that can end them early. */
export const giveBack = statement(
  'delivery.giveBack',
  `
  update delivery.attempt a set give_back = true
   where a.id = any ($1) and a.order_id is not null
     and a.state in ('delivered', 'partial', 'absent')
     and exists (select from delivery.delegation d where d.attempt_id = a.id)
`,
)
