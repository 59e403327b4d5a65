import { statement } from '../db/index.ts'

/** `charge`: what a refund gave back; null for everything else. `counter`: the side of ours. */
export type PartSum = {
  kind: string
  charge: string | null
  counter: string
  month: string
  count: bigint
  amount: bigint
}

export const sumParts = statement<PartSum>(
  'ledger.sumParts',
  `
  select m.kind, c.kind as charge, case when m.debit = 'client' then m.credit else m.debit end as counter,
         to_char(m.created_at at time zone 'UTC', 'YYYY-MM') as month, count(*) as count,
         sum(case when m.credit = 'client' then m.amount_sun else -m.amount_sun end)::bigint as amount
    from ledger.movement m
    left join lateral (
      select r.kind from ledger.movement r
       where m.kind = 'refund' and r.reference_id = m.reference_id and r.client_id = m.client_id and r.debit = 'client'
         and r.kind in ('purchase', 'agent_charge', 'autoenergy_activate', 'autoenergy_daily', 'autoenergy_unit')
       limit 1) c on true
   where m.client_id = $1 and m.version > $2 and m.version <= $3
   group by 1, 2, 3, 4
   order by 4, 1, 2, 3
`,
)

export const versionTime = statement<{ at: Date }>(
  'ledger.versionTime',
  `
  select created_at as at from ledger.movement where client_id = $1 and version = $2
`,
)

export const listMoved = statement<{ id: string }>(
  'ledger.listMoved',
  `
  select id from ledger.account where id > $1 and version > 0 order by id limit $2
`,
)
