import { type Refusal, refuse } from '@ergon/contract'
import type { ClientLimits, Clients, Notes } from '../identity/index.ts'
import type { Pricing } from '../pricing/index.ts'
import type { Actions } from './actions.ts'

type Named = { who: string; why: string }

export type ClientTerms = ReturnType<typeof createClientTerms>

type Deps = { clients: Clients; notes: Notes; pricing: Pricing; actions: Actions }

export const NOTES_SHOWN = 50
export const REQUESTS_MAX = 1_000_000n

/** Own limits of a client, and notes about it, in an operator's name. */
export function createClientTerms({ clients, notes, pricing, actions }: Deps) {
  return {
    notes: (id: string) => notes.list(id, NOTES_SHOWN),
    /** All three at once; undefined: as for everybody. */
    limit(id: string, limits: ClientLimits, { who, why }: Named): Promise<string | Refusal> {
      return actions.perform<string>({ who, what: 'limits', subject: id, why }, async () => {
        const { minAmount, maxAmount } = pricing.terms()
        const { orderMax } = limits
        if (orderMax !== undefined && (orderMax < minAmount || orderMax > maxAmount)) {
          return wrong(`The largest order is from ${minAmount} to ${maxAmount} Energy.`)
        }
        const { requestsPerMinute: requests } = limits
        if (requests !== undefined && (requests < 1n || requests > REQUESTS_MAX)) {
          return wrong(`Requests per minute are from 1 to ${REQUESTS_MAX}.`)
        }
        const before = clients.limitsOf(id)
        if (!(await clients.setLimits(id, limits))) return noAccount()
        return { reply: id, change: { before, after: limits } }
      })
    },
    /** The log of actions has who wrote it, and the note itself its words. */
    note(id: string, text: string, who: string): Promise<string | Refusal> {
      const why = 'see the notes of the account'
      return actions.perform<string>({ who, what: 'note', subject: id, why }, async () => {
        if (!(await notes.add(id, text.trim(), who))) return noAccount()
        return { reply: id, change: {} }
      })
    },
  }
}

const wrong = (message: string) => refuse('validation_error', { message })
const noAccount = () => refuse('not_found', { message: 'There is no account with this id.' })
