import type { Tx } from '../../db/index.ts'
import { lockStanding, type StandingRow } from './store.ts'

/**
 * An address's row and its moves, ours until the transaction ends. Whoever waited for the row gets it
 * as it is now, but the moves beside it as they were when the waiting began: a second reading, which
 * waits for nobody, has both.
 */
export async function lockedStanding(tx: Tx, address: string): Promise<StandingRow | undefined> {
  await tx.query(lockStanding, [address])
  const [row] = await tx.query(lockStanding, [address])
  return row
}
