import type { Db } from '../db/index.ts'
import type { Runtime } from '../kernel/index.ts'
import { lockSwitch, lookAtOutflows, type OutflowRow, openOutflows, turnOn } from './store.ts'

/**
 * Turns signing on again, with the signer's role alone. Whoever does it names the outflows that they
 * have looked at; while one is open that they do not name it stays off. Answers those.
 */
export function turnSigningOn(
  { db, runtime }: { db: Db; runtime: Runtime },
  { why, by, seen }: { why: string; by: string; seen: readonly string[] },
): Promise<OutflowRow[]> {
  return db.transaction(async (tx) => {
    await tx.query(lookAtOutflows, [seen, runtime.clock.now(), by])
    // Locked before the outflows are counted: what is found meanwhile turns it off again.
    await tx.query(lockSwitch)
    const unseen = await tx.query(openOutflows)
    if (unseen.length === 0) await tx.query(turnOn, [`${by}: ${why}`])
    return unseen
  })
}
