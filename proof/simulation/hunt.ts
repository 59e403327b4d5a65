import type { Bug } from './bug.ts'
import type { Server } from './database.ts'
import { seedsFor } from './regressions.ts'
import { type Outcome, simulate } from './simulate.ts'

/** Runs the bug's known seed, then others, until one of them finds it. */
export async function hunt(server: Server, bug: Bug): Promise<Outcome | undefined> {
  return find(server, bug, seedsFor(bug.name), (outcome) => isItsFault(server, bug, outcome))
}

/** Skips the run without the bug: it was made when the seeds were written down. */
export function huntQuickly(server: Server, bug: Bug, tries: number) {
  return find(server, bug, seedsFor(bug.name).slice(0, tries), async () => true)
}

async function find(
  server: Server,
  bug: Bug,
  seeds: readonly number[],
  counts: (outcome: Outcome) => Promise<boolean>,
): Promise<Outcome | undefined> {
  for (const seed of seeds) {
    const outcome = await simulate(server, { seed, bug })
    if (outcome.violation !== undefined && (await counts(outcome))) return outcome
    console.log(`simulation: ${bug.name} is missed by seed ${seed}`)
  }
  return undefined
}

/** A violation counts only if the same seed at the same rates breaks nothing without the bug. */
async function isItsFault(server: Server, bug: Bug, { seed }: Outcome) {
  const { intercept: _, spoil: __, ...harmless } = bug
  const twin = await simulate(server, { seed, bug: { ...harmless, prepare: [] } })
  return twin.violation === undefined
}

/** Whether the seed in regressions.ts no longer finds the bug. */
export function isMoved(bug: Bug, { seed }: Outcome): boolean {
  return seedsFor(bug.name)[0] !== seed
}
