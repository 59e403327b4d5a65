import { statement } from '../../db/index.ts'
import type { Payment } from '../payment.ts'
import { PAYMENT } from '../reads.sql.ts'

export const findOwnPayment = statement<Payment>(
  'agent.findOwnPayment',
  `
  select ${PAYMENT} from agent.payment where id = $1 and account_id = $2
`,
)

export type DeliverableRow = {
  id: string
  account: string
  configId: string
  publicId: string
  title: string
  address: string
  txid: string
  payer: string
  amount: bigint
}

/** Skipped for a reason of $3, mined since $4, and final. */
const DELIVERABLE = `
  select p.id, p.account_id as account, p.config_id as "configId", c.public_id as "publicId", c.title, c.address,
         p.txid, p.payer, p.amount_sun as amount
    from agent.payment p join agent.config c on c.id = p.config_id
   where p.id = $1 and p.account_id = $2 and p.status = 'skipped' and p.skip_reason = any ($3::text[])
     and p.block_time >= $4 and p.block_number is not null and p.final_at is not null and not p.orphaned`

export const findDeliverable = statement<DeliverableRow>('agent.findDeliverable', DELIVERABLE)

/** As long as a purchase waits for a locked account: the others of this process wait with it. */
export const waitTwoSeconds = statement(
  'agent.waitTwoSeconds',
  `
  select set_config('lock_timeout', '2s', true)
`,
)

/** The lock makes a twin wait, which then finds it sold. */
export const lockDeliverable = statement<DeliverableRow>(
  'agent.lockDeliverable',
  `${DELIVERABLE}
     for update of p
`,
)

export const deliverPayment = statement<{ id: string }>(
  'agent.deliverPayment',
  `
  update agent.payment
     set status = 'delivering', skip_reason = null, units = $2, energy = $3, cost_sun = $4, base_payment_sun = $5,
         energy_per_unit = $6, order_id = $7, decided_at = $8
   where id = $1 and status = 'skipped'
  returning id
`,
)
