import { statement } from '../../db/index.ts'

export type ProvenRow = {
  txid: string
  block: bigint
  energy: bigint
  delegatedAt: Date
  reclaimedAt: Date | null
  /** Not a redelivery. */
  first: boolean
}

/** Delegations on the chain for a request, or for its redelivery. */
export const readProof = statement<ProvenRow>(
  'delivery.readProof',
  `
  with recursive requests (id) as (
    select $1::uuid
    union
    select d.redelivered_by
      from requests q
      join delivery.part p on p.request_id = q.id
      join delivery.attempt a on a.part_id = p.id
      join delivery.delegation d on d.attempt_id = a.id
     where d.redelivered_by is not null
  )
  select d.txid, d.block_number as block, d.energy, d.delegated_at as "delegatedAt", d.reclaimed_at as "reclaimedAt",
         q.id = $1 as first
    from requests q
    join delivery.part p on p.request_id = q.id
    join delivery.attempt a on a.part_id = p.id
    join delivery.delegation d on d.attempt_id = a.id
   where a.state in ('delivered', 'partial') and d.block_number is not null
   order by d.delegated_at, d.txid
`,
)

export const readAskedAt = statement<{ askedAt: Date }>(
  'delivery.readAskedAt',
  `
  select created_at as "askedAt" from delivery.request where id = $1 and state = 'delivered'
`,
)
