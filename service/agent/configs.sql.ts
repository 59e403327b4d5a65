import { statement } from '../db/index.ts'
import type { Config } from './config.ts'
import { CONFIG } from './store.ts'

export type AgentTerms = {
  enabled: boolean
  minBalance: bigint
  maxConfigs: bigint
  maxGenerated: bigint
  maxUnitsCap: bigint
}

export const readTerms = statement<AgentTerms>(
  'agent.readTerms',
  `
  select enabled, min_balance_sun as "minBalance", max_configs as "maxConfigs",
         max_generated as "maxGenerated", max_units_cap as "maxUnitsCap"
    from agent.terms
`,
)

export const findConfig = statement<Config>(
  'agent.findConfig',
  `
  select ${CONFIG} from agent.config where account_id = $1 and id = $2 and deleted_at is null
`,
)

export const lockConfig = statement<Config>(
  'agent.lockConfig',
  `
  select ${CONFIG} from agent.config where account_id = $1 and id = $2 and deleted_at is null for update
`,
)

export const changeConfig = statement(
  'agent.changeConfig',
  `
  update agent.config
     set title = $2, energy_per_unit = $3, base_payment_sun = $4, max_units = $5, at_risk = at_risk and $6, updated_at = $7
   where id = $1
`,
)

export const setStatus = statement(
  'agent.setStatus',
  `
  update agent.config set status = $2, pause_reason = $3, updated_at = $4 where id = $1
`,
)

export const deleteConfig = statement(
  'agent.deleteConfig',
  `
  update agent.config set deleted_at = $2, updated_at = $2 where id = $1
`,
)

export const adminPause = statement<{ id: string }>(
  'agent.adminPause',
  `
  update agent.config set status = 'paused', pause_reason = 'admin', updated_at = $2
   where id = $1 and deleted_at is null
  returning id
`,
)

export const ownerOf = statement<{ account: string }>(
  'agent.ownerOf',
  `
  select account_id as account from agent.config where id = $1 and deleted_at is null
`,
)

/** For operators: of one account or all, those paused by operators first. */
export const searchConfigs = statement<Config>(
  'agent.searchConfigs',
  `
  select ${CONFIG} from agent.config
   where deleted_at is null and ($1::uuid is null or account_id = $1)
   order by (pause_reason is not distinct from 'admin') desc, id desc
   limit $2
`,
)

/** Back into its owner's hands. An address that somebody else has proved to own stays as it is. */
export const adminRelease = statement<{ id: string }>(
  'agent.adminRelease',
  `
  update agent.config set pause_reason = 'user', updated_at = $2
   where id = $1 and deleted_at is null and displaced_at is null and status = 'paused' and pause_reason = 'admin'
  returning id
`,
)
