import { statement } from '../db/index.ts'

export type LostRow = {
  txid: string
  receiver: string
  energy: bigint
  provider: string
  delegatedAt: Date
  reclaimAt: Date
  trace: string
}

/** Delegations of delivered requests whose block was orphaned, while their hour still runs. */
export const lockOrphaned = statement<LostRow>(
  'delivery.lockOrphaned',
  `
  select d.txid, d.receiver_address as receiver, d.energy, d.provider, d.delegated_at as "delegatedAt",
         d.reclaim_at as "reclaimAt", r.trace
    from delivery.delegation d
    join delivery.attempt a on a.id = d.attempt_id
    join delivery.part p on p.id = a.part_id
    join delivery.request r on r.id = p.request_id
   where d.block_number is null and d.redelivered_by is null and d.reclaim_at > $1 and r.state = 'delivered'
     and d.txid <> all ($3::text[])
   order by d.txid
   limit $2
     for update of d skip locked
`,
)

export const setRedelivered = statement(
  'delivery.setRedelivered',
  `
  update delivery.delegation set redelivered_by = $2 where txid = $1
`,
)
