import type { Db } from '../db/index.ts'
import type { Doors } from '../kernel/index.ts'
import { lookAtOutflows, type OutflowRow, openOutflows, turnOn } from './store.ts'

/**
 * Turns signing on again, with the signer's role alone, and says that somebody has looked at every
 * outflow found so far. The switch is locked first: what is found meanwhile turns it off again.
 */
export function turnSigningOn(
  { db, doors }: { db: Db; doors: Doors },
  { why, by }: { why: string; by: string },
): Promise<OutflowRow[]> {
  return db.transaction(async (tx) => {
    await tx.query(turnOn, [`${by}: ${why}`])
    const found = await tx.query(openOutflows)
    const txids = found.map(({ txid }) => txid)
    await tx.query(lookAtOutflows, [txids, doors.clock.now(), by])
    return found
  })
}
