import { statement } from '../db/index.ts'

export const insertRequests = statement(
  'delivery.insertRequests',
  `
  insert into delivery.request
    (id, receiver_address, energy, duration_seconds, deadline_at, state, trace, choice, created_at)
  select g.id, g.receiver, g.energy, g.duration, g.deadline, 'open', g.trace, jsonb_build_array(g.choice), $8
    from unnest($1::uuid[], $2::text[], $3::bigint[], $4::bigint[], $5::timestamptz[], $6::text[], $7::jsonb[])
         as g(id, receiver, energy, duration, deadline, trace, choice)
`,
)

export const insertParts = statement(
  'delivery.insertParts',
  `
  insert into delivery.part (id, request_id, provider, energy, unit_price_sun, cost_sun, state)
  select p.*, 'open' from unnest($1::uuid[], $2::uuid[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[]) as p
`,
)

/** Appends the newest plan and its reasons. */
export const addChoice = statement(
  'delivery.addChoice',
  `
  update delivery.request set choice = choice || $2::jsonb where id = $1
`,
)
