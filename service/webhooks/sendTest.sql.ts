import { statement } from '../db/index.ts'

/** A test is sent once by the process that got the request, so it has no queue. */
export const insertTest = statement(
  'webhooks.insertTest',
  `
  insert into webhooks.delivery (id, webhook_id, event_id, state, error, due_at, created_at)
  values ($1, $2, $3, 'failed', 'not_attempted', $4, $4)
`,
)

export const recordTest = statement(
  'webhooks.recordTest',
  `
  with recorded as (
    update webhooks.delivery
       set state = case when $3 then 'delivered' else 'failed' end, attempts = 1, attempted_at = $6,
           response_status = $4, error = $5, delivered_at = case when $3 then $6::timestamptz end,
           log = jsonb_build_array($7::jsonb)
     where webhook_id = $2 and id = $1
  )
  update webhooks.endpoint
     set last_success_at = case when $3 then $6::timestamptz else last_success_at end,
         last_failure_at = case when $3 then last_failure_at else $6::timestamptz end
   where id = $2
`,
)
