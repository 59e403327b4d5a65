import { type Refusal, refuse } from '@ergon/contract'
import type { AutoEnergy } from '../autoenergy/index.ts'
import type { Ledger } from '../ledger/index.ts'
import type { Actions } from './actions.ts'

type Named = { who: string; why: string }

export type Blocking = ReturnType<typeof createBlocking>

type Deps = { ledger: Ledger; autoenergy: Pick<AutoEnergy, 'wake'>; actions: Actions }

/** Blocks and unblocks clients in an operator's name, for the console and the command. */
export function createBlocking({ ledger, autoenergy, actions }: Deps) {
  const reasonOf = async (id: string) => (await ledger.blocks.of(id))?.reason ?? null
  return {
    block(id: string, reason: string, { who, why }: Named): Promise<string | Refusal> {
      return actions.perform<string>({ who, what: 'block', subject: id, why }, async () => {
        const before = await reasonOf(id)
        const after = sentence(reason)
        if (!(await ledger.blocks.set(id, after))) return noAccount()
        // Its subscriptions are closed at once; without this, by the next round.
        autoenergy.wake()
        return { reply: id, change: { before, after } }
      })
    },
    unblock(id: string, { who, why }: Named): Promise<string | Refusal> {
      return actions.perform<string>({ who, what: 'unblock', subject: id, why }, async () => {
        const before = await reasonOf(id)
        if (await ledger.blocks.lift(id)) return { reply: id, change: { before, after: null } }
        return refuse('validation_error', { message: 'This account is not blocked.' })
      })
    },
  }
}

/** Ends with a full stop: other sentences follow it. */
function sentence(reason: string): string {
  const words = reason.trim()
  return /[.!?]$/.test(words) ? words : `${words}.`
}

const noAccount = () => refuse('not_found', { message: 'There is no account with this id.' })
