import { toHex } from '@ergon/tron'
import type { Db, Tx } from '../db/index.ts'
import type { Doors } from '../kernel/index.ts'
import type { Providers } from '../providers/index.ts'
import { actOn, insertAttempt, lockHeld, lockOpenParts, type PartRow, setPart } from './store.ts'

const BATCH = 50

/**
 * Places open parts at our own stake. The attempt and the unsigned transaction are written in one
 * commit before anything can leave the house; one open attempt per part, held by an index.
 */
export function createPlacing(deps: { db: Db; doors: Doors; providers: Providers }) {
  const { db, doors, providers } = deps
  const marketplaces = [...providers.marketplaces.keys()]

  /** The provider's name when it refused for a reason that speaks against it. */
  async function place(tx: Tx, part: PartRow): Promise<string | undefined> {
    const attempt = doors.ids.next()
    const write = (state: string, made: unknown[], energy: bigint, act: Date | null) =>
      tx.query(insertAttempt, [
        attempt,
        part.id,
        part.provider,
        state,
        ...made,
        energy,
        act,
        doors.clock.now(),
      ])
    const until = await providers.heldUntil(tx, part.provider)
    if (until) {
      await write('sent', [null, null, null, null, null, null], part.energy, until)
      await tx.query(setPart, [part.id, 'trying', null])
      return undefined
    }
    const wanted = { attempt, receiver: toHex(part.receiver), energy: part.energy }
    const prepared = await providers.prepare(tx, part.provider, wanted)
    if (prepared.state === 'refused') {
      const { reason } = prepared
      await write('refused', [null, null, null, null, null, reason], part.energy, null)
      await tx.query(setPart, [part.id, 'failed', reason])
      return prepared.room === undefined ? part.provider : undefined
    }
    const { txid, signingRequest, owner, stake, expiresAt, energy } = prepared
    await write('sent', [txid, signingRequest, owner, stake, expiresAt, null], energy, null)
    await tx.query(setPart, [part.id, 'trying', null])
    return undefined
  }

  /** What the sandbox held back is made now, late. */
  async function actOnHeld(tx: Tx): Promise<number> {
    const held = await tx.query(lockHeld, [doors.clock.now(), BATCH])
    for (const { id, provider, energy, receiver } of held) {
      const wanted = { attempt: id, receiver: toHex(receiver), energy }
      const prepared = await providers.prepare(tx, provider, wanted)
      if (prepared.state === 'refused') continue
      const { txid, signingRequest, owner, stake, expiresAt } = prepared
      await tx.query(actOn, [id, txid, signingRequest, owner, stake, expiresAt])
    }
    return held.length
  }

  return {
    /** Returns how many parts it placed or saw refused. */
    async placeOpenParts(): Promise<number> {
      const failing: string[] = []
      const placed = await db.transaction(async (tx) => {
        const values = [BATCH, doors.clock.now(), null, marketplaces]
        const parts = await tx.query(lockOpenParts, values)
        for (const part of parts) {
          const refused = await place(tx, part)
          if (refused) failing.push(refused)
        }
        return parts.length + (await actOnHeld(tx))
      })
      for (const provider of failing) await providers.noteOutcome(provider, false)
      return placed
    },
  }
}
