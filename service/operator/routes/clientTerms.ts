import {
  getOperatorNotes,
  type HandledRoute,
  handle,
  isRefusal,
  postOperatorLimits,
  postOperatorNote,
  refuse,
} from '@ergon/contract'
import { isUuid, parseTrx } from '../../kernel/index.ts'
import { findAccounts } from '../accounts.ts'
import { accountReply } from './accounts.ts'
import { type ConsoleDeps, missing } from './deps.ts'

export function clientTermRoutes({ rooms, operator }: ConsoleDeps): HandledRoute[] {
  const { clientTerms } = operator
  const notes = async (id: string) => ({
    notes: (await clientTerms.notes(id)).map(({ at, ...note }) => ({
      ...note,
      at: at.toISOString(),
    })),
  })
  return [
    handle(postOperatorLimits, async ({ account: who }, { params: { id }, body }) => {
      if (!isUuid(id)) return missing('account')
      const { requests_per_minute: requests, unverified_credit_trx: credit, max_amount } = body
      const creditSun = credit === null ? undefined : parseTrx(credit)
      if (credit !== null && (creditSun === undefined || creditSun < 0n)) {
        const message = 'unverified_credit_trx must be a decimal from 0, with at most 6 places.'
        return refuse('validation_error', { message })
      }
      const limits = {
        requestsPerMinute: requests === null ? undefined : BigInt(requests),
        unverifiedCredit: creditSun,
        orderMax: max_amount === null ? undefined : BigInt(max_amount),
      }
      const done = await clientTerms.limit(id, limits, { who, why: body.why })
      if (isRefusal(done)) return done
      const [found] = await findAccounts(rooms, id, 1)
      return found ? accountReply(found) : missing('account')
    }),
    handle(getOperatorNotes, async (_caller, { params: { id } }) => {
      const isThere = isUuid(id) && (await findAccounts(rooms, id, 1)).length > 0
      return isThere ? notes(id) : missing('account')
    }),
    handle(postOperatorNote, async ({ account: who }, { params: { id }, body: { text } }) => {
      if (!isUuid(id)) return missing('account')
      const done = await clientTerms.note(id, text, who)
      return isRefusal(done) ? done : notes(id)
    }),
  ]
}
