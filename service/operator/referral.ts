import type { Refusal } from '@ergon/contract'
import type { Orders } from '../orders/index.ts'
import type { Actions } from './actions.ts'

export type Referral = ReturnType<typeof createReferral>

export const COMMISSION_BPS_MAX = 5_000

/** The commission for referrals, in an operator's name. */
export function createReferral({ orders, actions }: { orders: Orders; actions: Actions }) {
  return {
    terms: orders.commissions.terms,
    set(
      basisPoints: bigint,
      { who, why }: { who: string; why: string },
    ): Promise<bigint | Refusal> {
      return actions.perform<bigint>(
        { who, what: 'referral', subject: 'prices', why },
        async () => {
          const before = await orders.commissions.terms()
          await orders.commissions.setTerms(basisPoints)
          return { reply: basisPoints, change: { before, after: basisPoints } }
        },
      )
    },
  }
}
