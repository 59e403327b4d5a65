import { type Refusal, refuse } from '@ergon/contract'
import type { Delivery } from '../delivery/index.ts'
import type { Actions } from './actions.ts'

type Undecided = Delivery['undecided']
export type Decision = Parameters<Undecided['decide']>[1]
type Effect = Exclude<Awaited<ReturnType<Undecided['decide']>>, string>

/** Decides what became of an attempt in an operator's name, for the console and the command. */
export function decide(
  { undecided, actions }: { undecided: Undecided; actions: Actions },
  { id, decision, who, why }: { id: string; decision: Decision; who: string; why: string },
): Promise<Effect | Refusal> {
  return actions.perform<Effect>({ who, what: 'decide', subject: id, why }, async () => {
    const effect = await undecided.decide(id, decision, who, why)
    if (typeof effect === 'string') return refuse('validation_error', { message: effect })
    const { row, energy, booked } = effect
    const change = { order: row.requestId, before: 'undecided', after: decision.as, energy, booked }
    return { reply: effect, change }
  })
}
