import { type Refusal, refuse } from '@ergon/contract'
import type { AutoEnergy, BarRow } from '../autoenergy/index.ts'
import { isUuid } from '../kernel/index.ts'
import type { Actions } from './actions.ts'

/** Lifts a bar in an operator's name, for the console and the command. */
export async function liftBar(
  { autoenergy, actions }: { autoenergy: AutoEnergy; actions: Actions },
  { id, who, why }: { id: string; who: string; why: string },
): Promise<BarRow | Refusal> {
  const none = refuse('not_found', { message: 'No bar with this id holds. List them first.' })
  if (!isUuid(id)) return none
  return actions.perform<BarRow>({ who, what: 'lift_bar', subject: id, why }, async () => {
    const bar = await autoenergy.bars.lift(id)
    if (!bar) return none
    const { account, address, energy, until } = bar
    return { reply: bar, change: { account, address, energy, until, after: 'lifted' } }
  })
}
