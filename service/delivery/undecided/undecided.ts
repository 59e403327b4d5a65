import type { Db } from '../../db/index.ts'
import type { Runtime } from '../../kernel/index.ts'
import type { Ending } from '../ending/end.ts'
import { decideUndecided, readUndecided, type UndecidedRow } from './store.ts'

export type Decision = 'delivered' | 'absent'

export type Undecided = {
  /** Oldest first, with the evidence. */
  list(): Promise<UndecidedRow[]>
  /** Returns a sentence when it is refused. */
  decide(id: string, decision: Decision, by: string, why: string): Promise<string | undefined>
}

const LIST_MAX = 500

/**
 * Attempts that neither the marketplace nor the chain can decide; an operator does, after asking the
 * marketplace. The client is already refunded: `delivered` books our cost as goodwill, `absent` nothing.
 */
export function createUndecided(deps: { db: Db; runtime: Runtime; ending: Ending }): Undecided {
  const { db, runtime, ending } = deps
  const list = () => db.query(readUndecided, [LIST_MAX])
  return {
    list,
    async decide(id, decision, by, why) {
      if (by.trim() === '' || why.trim() === '') return 'Say who decides it, and why.'
      const row = (await list()).find(({ attempt }) => attempt === id)
      if (!row) return 'Nothing undecided has this id.'
      // Before its deadline the chain may still decide it, and the order would end twice.
      if (row.state === 'open') return 'Its order is still open; it is decided after the deadline.'
      return db.transaction(async (tx) => {
        const delegated = decision === 'delivered' ? row.energy : 0n
        const verdict = { state: decision, reason: `decided by ${by}: ${why}`, delegated }
        const attempt = { id, partId: row.partId, requestId: row.requestId }
        const ended = await ending.end(tx, [{ attempt, verdict }])
        if (ended.length === 0) return 'It has been settled meanwhile.'
        await tx.query(decideUndecided, [id, decision, by, why, runtime.clock.now()])
        return undefined
      })
    },
  }
}
