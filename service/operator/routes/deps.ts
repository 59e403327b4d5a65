import { type Refusal, refuse } from '@ergon/contract'
import type { RenderInvoice } from '../../account/index.ts'
import type {
  Invitations,
  OperatorRoles,
  Operators,
  Passkeys,
  SecondFactor,
  Sessions,
} from '../../identity/index.ts'
import type { Clock } from '../../kernel/index.ts'
import type { Operator, OperatorRooms } from '../operator.ts'

/** Dependencies of the console's routes. The caller's `account` is the operator. */
export type ConsoleDeps = {
  rooms: OperatorRooms
  operator: Operator
  sessions: Sessions
  secondFactor: SecondFactor
  passkeys: Passkeys
  roles: OperatorRoles
  operators: Operators
  invitations: Invitations
  /** Whether e-mail can be sent. */
  letters: boolean
  clock: Clock
  invoicePage: RenderInvoice
  /** Rate limit for wrong passwords. */
  guesses: {
    /** Seconds to wait, or undefined. */
    count(login: string, address: string): number | undefined
    forget(login: string, address: string): void
  }
  sandbox: boolean
}

export function missing(what: string): Refusal {
  return refuse('not_found', { message: `There is no ${what} like this.` })
}

export const isoOf = (at: Date | null | undefined) => at?.toISOString() ?? null
