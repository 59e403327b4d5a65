import { statement } from '../db/index.ts'
import type { Config } from './config.ts'
import { CONFIG } from './store.ts'

export const lockClient = statement(
  'agent.lockClient',
  `
  insert into agent.client (account_id) values ($1)
  on conflict (account_id) do update set account_id = excluded.account_id
`,
)

/** A separate statement after the lock, so that it sees the rows committed during the wait. */
export const countConfigs = statement<{ all: bigint; generated: bigint }>(
  'agent.countConfigs',
  `
  select count(*) as all, count(*) filter (where mode = 'generated') as generated
    from agent.config where account_id = $1 and deleted_at is null
`,
)

/** The configuration that holds the address; no row when it is free. */
export const findClaim = statement<{ id: string; account: string; proven: boolean }>(
  'agent.findClaim',
  `
  select id, account_id as account, proven from agent.config
   where address = $1 and deleted_at is null and displaced_at is null
`,
)

/** The pause reason of the address's last deleted configuration. */
export const lastLeft = statement<{ pauseReason: string | null }>(
  'agent.lastLeft',
  `
  select pause_reason as "pauseReason" from agent.config
   where address = $1 and deleted_at is not null and displaced_at is null
   order by deleted_at desc limit 1
`,
)

export const displaceConfig = statement(
  'agent.displaceConfig',
  `
  update agent.config
     set status = 'paused', pause_reason = 'admin', displaced_at = $2, updated_at = $2
   where id = $1 and not proven and deleted_at is null and displaced_at is null
`,
)

/** Returns no row when the address was claimed meanwhile. */
export const insertConfig = statement<Config>(
  'agent.insertConfig',
  `
  insert into agent.config
    (id, account_id, public_id, mode, address, proven, title, energy_per_unit, base_payment_sun, max_units,
     status, pause_reason, created_at, updated_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $13)
  on conflict (address) where deleted_at is null and displaced_at is null do nothing
  returning ${CONFIG}
`,
)
