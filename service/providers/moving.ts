import type { Db } from '../db/index.ts'
import { findInFlight } from './own-stake/ownStake.sql.ts'
import { readStandIn, type StandIns } from './standIn.ts'

/** An attempt that was begun and has no evidence yet. */
export type Underway = {
  provider: string
  state: string
  txid: string | null
  orderId: string | null
}

/**
 * Whether one of these attempts goes on by itself, for the clock of the sandbox. Scripted faults hold the
 * others: own stake has sent nothing, a stand-in does not answer or does not delegate. Of a real
 * marketplace nobody here can tell, and it follows no clock of ours.
 */
export function createMoving(deps: { db: Db; standIns: StandIns; own: string }) {
  const { db, standIns, own } = deps

  async function isOwnMoving(attempts: readonly Underway[]): Promise<boolean> {
    const txids = attempts.map(({ txid }) => txid)
    return txids.length > 0 && (await db.query(findInFlight, [txids])).length > 0
  }

  async function isSoldMoving(name: string, attempts: readonly Underway[]): Promise<boolean> {
    const script = await readStandIn(standIns, name)
    if (!script) return false
    const calls = attempts.filter(({ state }) => state === 'sending')
    if (calls.length > script.unanswered) return true
    return attempts.some(
      ({ state, orderId }) => state === 'sent' && !script.held.includes(orderId ?? ''),
    )
  }

  return async (attempts: readonly Underway[]): Promise<boolean> => {
    for (const [name, some] of Map.groupBy(attempts, ({ provider }) => provider)) {
      if (name === own ? await isOwnMoving(some) : await isSoldMoving(name, some)) return true
    }
    return false
  }
}
