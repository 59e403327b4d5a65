import type { Db } from '../db/index.ts'
import type { Clock } from '../kernel/index.ts'
import type { Providers } from '../providers/index.ts'
import { movesUnderWay, partsUnderWay, readingsUnderWay, type UnderWayRow } from './underWay.sql.ts'

/**
 * Whether some Energy, of a request or standing, is on its way to its evidence by itself. What a scripted
 * fault of the sandbox holds is not.
 */
export function createUnderWay(deps: { db: Db; clock: Clock; providers: Providers }) {
  const { db, clock, providers } = deps

  async function isSomeMoving(parts: readonly UnderWayRow[]): Promise<boolean> {
    const waiting = parts.filter(({ isDelayed }) => !isDelayed)
    // Not placed, about to be settled, or proven: the loops go on without anybody's answer.
    if (waiting.some(({ provider, state, seen }) => !provider || !state || seen)) return true
    return providers.isSomeMoving(
      waiting.map(({ provider, state, txid, orderId }) => {
        return { provider: provider!, state: state!, txid, orderId }
      }),
    )
  }

  return async (): Promise<boolean> => {
    if (await isSomeMoving(await db.query(partsUnderWay, [clock.now()]))) return true
    const moves = await db.query(movesUnderWay)
    const sent = moves.map(({ txid }) => {
      return { provider: 'own_stake', state: 'sent', txid, orderId: null }
    })
    if (await providers.isSomeMoving(sent)) return true
    return (await db.query(readingsUnderWay)).length > 0
  }
}
