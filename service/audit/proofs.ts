import type { Queryable } from '../db/index.ts'
import { type Clock, createLoop, type Log, type Loop } from '../kernel/index.ts'
import { readProofs } from './audit.sql.ts'
import { invariants } from './invariants.ts'

/** How old the last proof of an invariant is, by this process's elapsed time. */
export type Age = { invariant: string; ageMs: number; failures: number }

/** Ages of the proofs, known in every process. */
export type Proofs = {
  /** Oldest first. From memory. */
  ages(): Age[]
  /** Why nothing is sold, in a sentence for an operator; undefined while all proofs are young enough. From memory. */
  unproven(): string | undefined
  /** Reads which invariants were proven since the last look. */
  look(): Promise<void>
  loop: Loop
}

const LOOK_MS = 15_000
/** Above this nothing is sold. An alert comes at 15 minutes. */
const SELLING_MS_MAX = 3_600_000

/**
 * Age counts from the last proof or the start of this process, whichever is later. Elapsed time, because
 * business time may be moved and wall time be set. While the database does not answer, ages grow.
 */
export function createProofs(deps: { db: Queryable; clock: Clock; log: Log }): Proofs {
  const { db, clock, log } = deps
  const startMs = clock.elapsedMs()
  const seen = new Map<string, { proofs: bigint; failures: bigint; atMs: number }>()
  let oldest = { invariant: invariants[0]!.name, atMs: startMs }
  let hasLooked = false
  let wasUnproven = false

  function ages(): Age[] {
    const nowMs = clock.elapsedMs()
    return invariants
      .map(({ name }) => {
        const { atMs = startMs, failures = 0n } = seen.get(name) ?? {}
        return { invariant: name, ageMs: nowMs - atMs, failures: Number(failures) }
      })
      .sort((a, b) => b.ageMs - a.ageMs)
  }

  function unproven(): string | undefined {
    const ageMs = clock.elapsedMs() - oldest.atMs
    if (ageMs <= SELLING_MS_MAX) return undefined
    return `${oldest.invariant} was not proven for ${Math.floor(ageMs / 60_000)} minutes.`
  }

  function tell() {
    const reason = unproven()
    if (reason && !wasUnproven) log.error('selling_stopped', { reason })
    if (!reason && wasUnproven) log.info('selling_resumed', { reason: 'all invariants are proven' })
    wasUnproven = reason !== undefined
  }

  async function look() {
    try {
      for (const { invariant, proofs, failures } of await db.query(readProofs)) {
        const before = seen.get(invariant)
        // What was there at the first look was proven before this process started.
        const isNew = hasLooked && proofs > (before?.proofs ?? 0n)
        const atMs = isNew ? clock.elapsedMs() : (before?.atMs ?? startMs)
        seen.set(invariant, { proofs, failures, atMs })
      }
      hasLooked = true
      const [{ invariant, ageMs }] = ages() as [Age]
      oldest = { invariant, atMs: clock.elapsedMs() - ageMs }
    } finally {
      tell()
    }
  }

  return {
    ages,
    unproven,
    look,
    loop: createLoop({
      name: 'audit.watchProofs',
      everyMs: LOOK_MS,
      log,
      work: () => look().then(() => 0),
    }),
  }
}
