import type { Delivery } from '../delivery/index.ts'
import type { Stake, Staking, Unlock } from '../staking/index.ts'
import { type Advice, adviceOf } from './stakeAdvice.ts'

/** The stakes, in order of time what unlocks, and how much more stake would have been sold. */
export type Stakes = { stakes: Stake[]; calendar: Unlock[]; advice: Advice }

/** Reads stakes that are on the chain; a stake that was never activated is left out. */
export async function readStakes(rooms: {
  delivery: Delivery
  staking: Pick<Staking, 'stakes'>
}): Promise<Stakes> {
  const read = await rooms.staking.stakes()
  const totals = read[0]?.totals ?? { limit: 0n, weight: 0n }
  return {
    stakes: read.map(({ stake }) => stake),
    calendar: read
      .flatMap(({ unlocks }) => unlocks)
      .toSorted((a, b) => a.at.getTime() - b.at.getTime()),
    advice: adviceOf(await rooms.delivery.outlook.bought(), totals),
  }
}
