import { type Refusal, refuse } from '@ergon/contract'
import type { Invoices } from '../account/index.ts'
import type { Accounts } from '../identity/index.ts'
import type { Actions } from './actions.ts'

type Named = { who: string; why: string }
export type Issued = { accounts: number; invoices: number }

export type Issuing = ReturnType<typeof createIssuing>

/** Issues invoices of months that are over, in an operator's name. */
export function createIssuing(deps: { accounts: Accounts; invoices: Invoices; actions: Actions }) {
  const { accounts, invoices, actions } = deps
  return {
    of(id: string, { who, why }: Named): Promise<Issued | Refusal> {
      return actions.perform<Issued>({ who, what: 'invoices', subject: id, why }, async () => {
        if (!(await accounts.profileOf(id))) {
          return refuse('not_found', { message: 'There is no account with this id.' })
        }
        const issued = await invoices.issue(id)
        const reply = { accounts: issued > 0 ? 1 : 0, invoices: issued }
        return { reply, change: reply }
      })
    },
    all({ who, why }: Named): Promise<Issued | Refusal> {
      return actions.perform<Issued>({ who, what: 'invoices', subject: 'all', why }, async () => {
        const reply = await invoices.issueAll()
        return { reply, change: reply }
      })
    },
  }
}
