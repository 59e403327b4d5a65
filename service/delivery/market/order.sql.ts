import { statement } from '../../db/index.ts'

export const findOpenPart = statement<{ id: string }>(
  'delivery.findOpenPart',
  `
  select p.id
    from delivery.part p join delivery.request r on r.id = p.request_id
   where p.state = 'open' and p.provider = $1 and r.state = 'open' and r.deadline_at > $2
     and p.id <> all ($3::uuid[])
   limit 1
`,
)

/** Committed before the call, so that the resolver finds the attempt even if the call never returns. */
export const insertCall = statement(
  'delivery.insertCall',
  `
  insert into delivery.attempt
    (id, part_id, provider, state, energy, unit_price_sun, cost_sun, receiver_address, called_at, look_at, created_at)
  values ($1, $2, $3, 'sending', $4, $5, $6, $7, clock_timestamp(),
          clock_timestamp() + make_interval(secs => $8 / 1000.0), $9)
`,
)

/** Also stored after the attempt was given up: its Energy is then booked as goodwill. */
export const recordAccepted = statement(
  'delivery.recordAccepted',
  `
  update delivery.attempt
     set order_id = coalesce(order_id, $2), cost_sun = coalesce($3, cost_sun), told = 'accepted',
         word = case when state = 'sending' then 'pending' else word end,
         look_at = case when state = 'sending' then clock_timestamp() + interval '1 second' else look_at end,
         state = case when state = 'sending' then 'sent' else state end
   where id = $1
`,
)

export const recordLost = statement(
  'delivery.recordLost',
  `
  update delivery.attempt
     set state = 'unknown', told = $2, look_at = clock_timestamp() + interval '1 second'
   where id = $1 and state = 'sending'
`,
)
