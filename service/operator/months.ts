import { type Refusal, refuse } from '@ergon/contract'
import type { Books } from '../books/index.ts'
import type { Actions } from './actions.ts'

export type Month = Awaited<ReturnType<Books['months']>>[number]

/** Closes a month in an operator's name, for the console and the command. */
export function closeMonth(
  { books, actions }: { books: Books; actions: Actions },
  { month, who, why }: { month: string; who: string; why: string },
): Promise<Month | Refusal> {
  return actions.perform<Month>({ who, what: 'close_month', subject: month, why }, async () => {
    const closed = await books.close({ month, by: who, why })
    if ('refused' in closed) return refuse('validation_error', { message: closed.refused })
    const reply = (await books.months()).find((one) => one.month === month)!
    return { reply, change: { month, margin: closed.margin, before: 'open', after: 'closed' } }
  })
}
