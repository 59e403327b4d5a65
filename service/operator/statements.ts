import { type Refusal, refuse } from '@ergon/contract'
import type { StatementDecision, StatementEffect, Statements } from '../books/index.ts'
import type { Actions } from './actions.ts'

type Rooms = { statements: Statements; actions: Actions }

/** Decides a difference in an operator's name, for the console and the command. */
export function decideDifference(
  { statements, actions }: Rooms,
  deed: { id: string; as: StatementDecision; shown?: bigint; who: string; why: string },
): Promise<StatementEffect | Refusal> {
  const { id, as, shown, who, why } = deed
  const log = { who, what: 'decide_statement', subject: id, why }
  return actions.perform<StatementEffect>(log, async () => {
    const effect = await statements.decide({ id, as, by: who, why, shown })
    if (typeof effect === 'string') return refuse('validation_error', { message: effect })
    const { row, booked } = effect
    const { provider, theirs, ours, state: before } = row
    return { reply: effect, change: { provider, theirs, ours, before, after: as, booked } }
  })
}

/** Makes comparisons due in an operator's name. */
export function runStatementsNow(
  { statements, actions }: Rooms,
  { provider, who, why }: { provider?: string | undefined; who: string; why: string },
): Promise<string[] | Refusal> {
  const log = { who, what: 'run_statements', subject: provider ?? 'all', why }
  return actions.perform<string[]>(log, async () => {
    const providers = await statements.ask(provider)
    if (providers.length > 0) return { reply: providers, change: { providers } }
    const message = provider
      ? `No marketplace is called ${provider}, or its API tells neither orders nor a balance.`
      : 'No marketplace can be compared.'
    return refuse('validation_error', { message })
  })
}
