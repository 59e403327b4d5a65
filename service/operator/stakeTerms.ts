import { type Refusal, refuse } from '@ergon/contract'
import { toHex } from '@ergon/tron'
import type { Db } from '../db/index.ts'
import type { StakeCosting, StakeCosts } from '../providers/index.ts'
import type { Signing } from '../signing/index.ts'
import type { Actions } from './actions.ts'

/** `unit` is an own figure for all stakes, or for the one that is named; null: worked out again. */
export type StakeTermsWanted = {
  yieldBps?: bigint | undefined
  floorBps?: bigint | undefined
  days?: bigint | undefined
  unit?: bigint | null | undefined
  stake?: string | undefined
}

export type ChangeStakeTerms = (
  wanted: StakeTermsWanted,
  by: { who: string; why: string },
) => Promise<StakeCosting | Refusal>

type Deps = { db: Db; stakeCosts: StakeCosts; signing: Signing; actions: Actions }

/** Changes what own stake must earn, or gives it a figure of its own, and logs it. */
export function createStakeTerms({ db, stakeCosts, signing, actions }: Deps): ChangeStakeTerms {
  return ({ stake, unit, ...terms }, by) =>
    actions.perform({ ...by, what: 'stake_terms', subject: stake ?? 'own_stake' }, async () => {
      const owner = stake === undefined ? undefined : await ownerOf(stake)
      if (stake !== undefined && owner === undefined) {
        const message = 'This is none of our stakes. npx ergon stakes lists them.'
        return refuse('validation_error', { message })
      }
      const { terms: before, overrides } = await stakeCosts.read()
      await db.transaction(async (tx) => {
        if (owner !== undefined) {
          await stakeCosts.override(tx, owner, unit ?? null)
          return
        }
        const given = Object.entries({ ...terms, unit }).filter(([, value]) => value !== undefined)
        await stakeCosts.change(tx, Object.fromEntries(given))
      })
      await stakeCosts.loop.runOnce()
      const reply = await stakeCosts.read()
      const { terms: after, overrides: left } = reply
      return { reply, change: { before, overrides, after, overridesAfter: left } }
    })

  async function ownerOf(stake: string) {
    const owners = await signing.addresses('stake')
    try {
      return owners.find((owner) => owner === toHex(stake))
    } catch {
      return undefined
    }
  }
}
