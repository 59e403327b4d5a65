import type { Bug } from './bug.ts'
import { rewriting } from './rewriting.ts'

const dayOfOneRound: Bug = {
  name: 'day-of-one-round',
  belief: 'The calls that are billed together are the calls of the day.',
  scene: 'budgets',
  prepare: [],
  intercept: () =>
    rewriting([
      {
        statement: 'autoenergy.sumSpent',
        from: 'coalesce(sum(billed_sun) filter (where block_time >= $3), 0)::bigint as daily',
        to: '($3::timestamptz is null)::int::bigint as daily',
      },
    ]),
}

const monthOfOneRound: Bug = {
  name: 'month-of-one-round',
  belief: 'The calls that are billed together are the calls of the month.',
  scene: 'budgets',
  prepare: [],
  intercept: () =>
    rewriting([
      {
        statement: 'autoenergy.sumSpent',
        from: 'coalesce(sum(billed_sun), 0)::bigint as monthly',
        to: '0::bigint as monthly',
      },
    ]),
}

const pausedInNameOnly: Bug = {
  name: 'paused-in-name-only',
  belief: 'A paused subscription is active, so its Energy stays where it is.',
  scene: 'budgets',
  prepare: [],
  intercept: () =>
    rewriting([
      {
        statement: 'delivery.releaseStanding',
        from: 'where address = $1',
        to: `where address = $1 and not exists (
               select from autoenergy.subscription s where s.address = $1 and s.status = 'active')`,
      },
    ]),
}

/** Mistakes that let calls cost more than their budget. */
export const budgetBugs: readonly Bug[] = [dayOfOneRound, monthOfOneRound, pausedInNameOnly]
