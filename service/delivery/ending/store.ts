import { statement } from '../../db/index.ts'

export type RequestRow = {
  id: string
  state: 'open' | 'delivered' | 'failed'
  trace: string
  energy: bigint
  deadlineAt: Date
}

/** Ordered by id, so that two workers with overlapping requests do not deadlock. */
export const lockRequests = statement<RequestRow>(
  'delivery.lockRequests',
  `
  select id, state, trace, energy, deadline_at as "deadlineAt"
    from delivery.request where id = any ($1) order by id for update
`,
)
