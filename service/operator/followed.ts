import { isRefusal, type Refusal, refuse } from '@ergon/contract'
import type { Clients } from '../identity/index.ts'
import type { FollowRule, FollowTerms, Pricing } from '../pricing/index.ts'
import type { Deed, Done } from './actions.ts'
import type { Operator } from './operator.ts'

type Deps = { pricing: Pricing; clients: Clients; operator: Pick<Operator, 'actions'> }

/** Begins a rule, or with `days` an experiment, and logs it. */
export function beginRule(
  { pricing, clients, operator }: Deps,
  by: { who: string; why: string },
  terms: FollowTerms,
  days: number | undefined,
): Promise<FollowRule | Refusal> {
  const what = days === undefined ? 'follow_prices' : 'price_experiment'
  const deed: Deed = { ...by, what, subject: terms.group || 'everybody' }
  return operator.actions.perform(deed, async (): Promise<Done<FollowRule> | Refusal> => {
    const { following } = pricing
    const isKnown =
      terms.group === '' || (await clients.groups()).some(({ name }) => name === terms.group)
    if (!isKnown) {
      const message = 'There is no group of this name. npx ergon groups lists them.'
      return refuse('validation_error', { message })
    }
    const rule = await (days === undefined
      ? following.follow(terms)
      : following.experiment(terms, days))
    return isRefusal(rule) ? rule : { reply: rule, change: { ...terms, days: days ?? null } }
  })
}

/** Ends a rule or an experiment, and logs it. */
export function endRule(
  { pricing, operator }: Omit<Deps, 'clients'>,
  by: { who: string; why: string },
  { group, experiment }: { group: string; experiment: boolean },
): Promise<{ group: string } | Refusal> {
  const deed: Deed = { ...by, what: 'end_followed_prices', subject: group || 'everybody' }
  return operator.actions.perform(deed, async (): Promise<Done<{ group: string }> | Refusal> => {
    const ended = await pricing.following.end(group, experiment)
    if (ended) return { reply: { group }, change: { group, experiment } }
    const message = 'No such rule is in force. npx ergon prices lists them.'
    return refuse('not_found', { message })
  })
}
