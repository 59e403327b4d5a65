import { statement } from '../db/index.ts'

export type EndpointRow = {
  id: string
  name: string
  url: string
  types: string[]
  status: 'active' | 'disabled'
  disabledReason: string | null
  createdAt: Date
  lastSuccessAt: Date | null
  lastFailureAt: Date | null
}

const ENDPOINT = `
  id, name, url, types, status, disabled_reason as "disabledReason", created_at as "createdAt",
  last_success_at as "lastSuccessAt", last_failure_at as "lastFailureAt"`

/** Serialises changes to one account's webhooks; later statements see earlier commits. */
export const lockOwner = statement(
  'webhooks.lockOwner',
  `
  insert into webhooks.owner (account_id) values ($1)
  on conflict (account_id) do update set account_id = excluded.account_id
`,
)

export const listEndpoints = statement<EndpointRow>(
  'webhooks.listEndpoints',
  `
  select ${ENDPOINT} from webhooks.endpoint where account_id = $1 and removed_at is null order by id desc
`,
)

export const insertEndpoint = statement<EndpointRow>(
  'webhooks.insertEndpoint',
  `
  insert into webhooks.endpoint (id, account_id, name, url, types, status, secret, created_at)
  values ($1, $2, $3, $4, $5, 'active', $6, $7)
  returning ${ENDPOINT}
`,
)

export const insertQueue = statement(
  'webhooks.insertQueue',
  `
  insert into webhooks.queue (webhook_id) values ($1)
`,
)

export const lockEndpoint = statement<EndpointRow>(
  'webhooks.lockEndpoint',
  `
  select ${ENDPOINT} from webhooks.endpoint
   where account_id = $1 and id = $2 and removed_at is null
     for update
`,
)

/** Enabling a webhook or changing its URL resets its failures. */
export const changeEndpoint = statement<EndpointRow>(
  'webhooks.changeEndpoint',
  `
  update webhooks.endpoint
     set name = $2, url = $3, types = $4, status = $5, disabled_reason = $6,
         failures = case when (status, url) = ($5, $3) then failures else 0 end,
         failing_since = case when (status, url) = ($5, $3) then failing_since end
   where id = $1
  returning ${ENDPOINT}
`,
)

export const removeEndpoint = statement<{ id: string }>(
  'webhooks.removeEndpoint',
  `
  update webhooks.endpoint set removed_at = $3, secret = '', previous_secret = null
   where account_id = $1 and id = $2 and removed_at is null
  returning id
`,
)

export const rotateSecret = statement<EndpointRow>(
  'webhooks.rotateSecret',
  `
  update webhooks.endpoint
     set previous_secret = case when $3::timestamptz is not null then secret end, previous_until = $3, secret = $2
   where id = $1
  returning ${ENDPOINT}
`,
)

export const findOwner = statement<{ account: string }>(
  'webhooks.findOwner',
  `
  select account_id as account from webhooks.endpoint where id = $1
`,
)

export const disableEndpoint = statement<{ name: string }>(
  'webhooks.disableEndpoint',
  `
  update webhooks.endpoint set status = 'disabled', disabled_reason = $2
   where id = $1 and status = 'active' and removed_at is null
  returning name
`,
)
