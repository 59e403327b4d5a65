import type { Bug } from './bugs.ts'
import type { Server } from './database.ts'
import { seedsFor } from './regressions.ts'
import { type Outcome, simulate } from './simulate.ts'

/** Runs the bug's known seed, and others until one of them finds it. */
export async function hunt(server: Server, bug: Bug): Promise<Outcome | undefined> {
  for (const seed of seedsFor(bug.name)) {
    const outcome = await simulate(server, { seed, bug })
    if (outcome.violation !== undefined) return outcome
  }
  return undefined
}

/** Whether regressions.ts has to be brought up to date. */
export function isMoved(bug: Bug, { seed }: Outcome): boolean {
  return seedsFor(bug.name)[0] !== seed
}
