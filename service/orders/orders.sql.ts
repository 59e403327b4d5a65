import { statement } from '../db/index.ts'

export const readSelling = statement<{ enabled: boolean; reason: string | null }>(
  'orders.readSelling',
  `select enabled, reason from orders.selling`,
)

export const writeSelling = statement(
  'orders.writeSelling',
  `
  update orders.selling set enabled = $1, reason = $2
`,
)

export const readCompleted = statement<{ orders: bigint; energy: bigint }>(
  'orders.readCompleted',
  `
  select count(*) as orders, coalesce(sum(resource_amount), 0)::bigint as energy
    from orders.purchase_order
   where account_id = $1 and completed_at >= $2 and completed_at < $3
`,
)
