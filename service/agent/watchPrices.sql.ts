import { statement } from '../db/index.ts'
import type { Config } from './config.ts'

export type RiskRow = Pick<
  Config,
  'id' | 'account' | 'publicId' | 'title' | 'energyPerUnit' | 'basePayment'
> & { atRisk: boolean }

const RISK = `id, account_id as account, public_id as "publicId", title, energy_per_unit as "energyPerUnit",
  base_payment_sun as "basePayment", at_risk as "atRisk"`

export const listForRisk = statement<RiskRow>(
  'agent.listForRisk',
  `
  select ${RISK} from agent.config
   where deleted_at is null and displaced_at is null and id > $1
   order by id
   limit $2
`,
)

export const markRisk = statement<RiskRow>(
  'agent.markRisk',
  `
  update agent.config set at_risk = $2
   where id = $1 and at_risk <> $2 and energy_per_unit = $3 and base_payment_sun = $4 and deleted_at is null
  returning ${RISK}
`,
)
