import type { Clock } from '../kernel/index.ts'

/**
 * How long a row counts as new. Longer than any key may wait for its commit: 10 s for a connection, 8 s for
 * a lock, 15 s for a statement, 10 s idle in a transaction, and clocks of nodes that differ by 20 s.
 */
export const NEW_MS = 120_000

/**
 * The newest key of a table that was there some time ago, by elapsed time. Keys are made before their
 * transaction begins, so a smaller key may be committed after a larger one: a checkpoint that has
 * passed it would never see its row.
 */
export type Horizon = {
  /** Remembers the newest key of now. */
  note(table: string, newest: string | null): void
  /** The newest key that was there `lagMs` ago; undefined while none is known. */
  before(table: string, lagMs: number): string | undefined
}

export function createHorizon(clock: Clock, keptMs: number): Horizon {
  const notes = new Map<string, { key: string; atMs: number }[]>()

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
      return notes.get(table)?.findLast(({ atMs }) => nowMs - atMs >= lagMs)?.key
    },
  }
}
