import type { Tx } from '../../db/index.ts'
import { lockStanding } from './locked.sql.ts'
import type { StandingRow } from './store.ts'

/**
 * Locks an address's row until the transaction ends and reads its moves. After a wait for the lock the
 * row is current but the moves are as old as the statement; so both are read a second time.
 */
export async function lockedStanding(tx: Tx, address: string): Promise<StandingRow | undefined> {
  await tx.query(lockStanding, [address])
  const [row] = await tx.query(lockStanding, [address])
  return row
}
