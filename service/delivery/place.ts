import { toHex } from '@ergon/tron'
import type { Db, Tx } from '../db/index.ts'
import type { Doors } from '../kernel/index.ts'
import type { Providers } from '../providers/index.ts'
import { insertAttempt, lockOpenParts, type PartRow, setPart } from './store.ts'

const BATCH = 50

/**
 * Places open parts. The attempt, and for own stake the unsigned transaction, are written in one
 * commit before anything can leave the house; one open attempt per part, held by an index.
 */
export function createPlacing(deps: { db: Db; doors: Doors; providers: Providers }) {
  const { db, doors, providers } = deps

  async function place(tx: Tx, part: PartRow): Promise<void> {
    const attempt = doors.ids.next()
    const wanted = { attempt, receiver: toHex(part.receiver), energy: part.energy }
    const prepared = await providers.prepare(tx, part.provider, wanted)
    const now = doors.clock.now()
    if (prepared.state === 'refused') {
      const empty = [null, null, null, null, null]
      await tx.query(insertAttempt, [
        attempt,
        part.id,
        part.provider,
        'refused',
        ...empty,
        prepared.reason,
        now,
      ])
      await tx.query(setPart, [part.id, 'failed', prepared.reason])
      return
    }
    const { txid, signingRequest, owner, stake, expiresAt } = prepared
    const made = [txid, signingRequest, owner, stake, expiresAt]
    await tx.query(insertAttempt, [attempt, part.id, part.provider, 'sent', ...made, null, now])
    await tx.query(setPart, [part.id, 'trying', null])
  }

  return {
    /** Returns how many parts it placed or saw refused. */
    placeOpenParts: () =>
      db.transaction(async (tx) => {
        const parts = await tx.query(lockOpenParts, [BATCH, doors.clock.now()])
        for (const part of parts) await place(tx, part)
        return parts.length
      }),
  }
}
