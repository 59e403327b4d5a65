import type { Db } from '../db/index.ts'
import type { Runtime } from '../kernel/index.ts'
import { type OutflowRow, openOutflows } from './store.ts'
import { lockSwitch, lookAtOutflows, turnOn } from './turnOn.sql.ts'

/**
 * Turns signing on again, with the signer's role. The operator names the outflows that were checked.
 * While another one is open, signing stays off. Returns the open ones that were not named.
 */
export function turnSigningOn(
  { db, runtime }: { db: Db; runtime: Runtime },
  { why, by, seen }: { why: string; by: string; seen: readonly string[] },
): Promise<OutflowRow[]> {
  return db.transaction(async (tx) => {
    await tx.query(lookAtOutflows, [seen, runtime.clock.now(), by])
    // Lock before counting the outflows: a later finding turns signing off again.
    await tx.query(lockSwitch)
    const unseen = await tx.query(openOutflows)
    if (unseen.length === 0) await tx.query(turnOn, [`${by}: ${why}`])
    return unseen
  })
}
