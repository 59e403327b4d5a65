import type { Clock } from '../kernel/index.ts'
import { firstKey, type Table } from './prove.sql.ts'

/**
 * The newest key of a table that was there some time ago, by elapsed time. Keys are made before their
 * transaction begins, so a smaller key may be committed after a larger one: a checkpoint that has
 * passed it would never see its row.
 */
export type Horizon = {
  /** Remembers the newest key of now. */
  note(table: Table, newest: string | null): void
  /** The newest key that was there `lagMs` ago; the first key while none is known. */
  before(table: Table, lagMs: number): string
}

export function createHorizon(clock: Clock, keptMs: number): Horizon {
  const notes = new Map<Table, { key: string; atMs: number }[]>()

  return {
    note(table, newest) {
      if (newest === null) return
      const nowMs = clock.elapsedMs()
      const noted = notes.get(table) ?? []
      notes.set(table, noted)
      noted.push({ key: newest, atMs: nowMs })
      const old = noted.findLastIndex(({ atMs }) => nowMs - atMs >= keptMs)
      if (old > 0) noted.splice(0, old)
    },
    before(table, lagMs) {
      const nowMs = clock.elapsedMs()
      const old = notes.get(table)?.findLast(({ atMs }) => nowMs - atMs >= lagMs)
      return old?.key ?? firstKey(table)
    },
  }
}
