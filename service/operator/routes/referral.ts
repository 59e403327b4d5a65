import {
  getOperatorReferral,
  type HandledRoute,
  handle,
  isRefusal,
  postOperatorReferral,
} from '@ergon/contract'
import type { ConsoleDeps } from './deps.ts'

export function referralRoutes({ operator: { referral } }: ConsoleDeps): HandledRoute[] {
  return [
    handle(getOperatorReferral, async () => ({ basis_points: Number(await referral.terms()) })),
    handle(postOperatorReferral, async ({ account: who }, { body: { basis_points, why } }) => {
      const set = await referral.set(BigInt(basis_points), { who, why })
      return isRefusal(set) ? set : { basis_points: Number(set) }
    }),
  ]
}
