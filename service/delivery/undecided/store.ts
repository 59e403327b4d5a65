import { statement } from '../../db/index.ts'

/** Keeps an existing entry unchanged, because an operator may be working on it. */
export const insertUndecided = statement(
  'delivery.insertUndecided',
  `
  with put as (
    update delivery.attempt set state = 'undecided', told = $2 where id = $1 and state in ('sending', 'sent', 'unknown') returning id
  )
  insert into delivery.undecided (attempt_id, reason, evidence, since)
  select put.id, $2, $3, $4 from put
  on conflict (attempt_id) do nothing
`,
)

export type UndecidedRow = {
  attempt: string
  requestId: string
  partId: string
  provider: string
  energy: bigint
  cost: bigint
  receiver: string
  reason: string
  evidence: unknown
  since: Date
  /** Of the request. */
  state: string
}

export const readUndecided = statement<UndecidedRow>(
  'delivery.readUndecided',
  `
  select u.attempt_id as attempt, r.id as "requestId", p.id as "partId", a.provider, a.energy, a.cost_sun as cost,
         r.receiver_address as receiver, u.reason, u.evidence, u.since, r.state
    from delivery.undecided u
    join delivery.attempt a on a.id = u.attempt_id
    join delivery.part p on p.id = a.part_id
    join delivery.request r on r.id = p.request_id
   where u.decision is null
   order by u.since, u.attempt_id
   limit $1
`,
)

/** Returns no row when it was decided before. */
export const decideUndecided = statement<{ attempt: string }>(
  'delivery.decideUndecided',
  `
  update delivery.undecided set decision = $2, decided_by = $3, why = $4, decided_at = $5, energy = $6
   where attempt_id = $1 and decision is null
  returning attempt_id as attempt
`,
)
