import {
  type MovableClock,
  type Runtime,
  systemClock,
  systemRuntime,
} from '../../service/kernel/index.ts'

export type TestRuntime = Runtime & {
  clock: MovableClock
  /** Advances elapsed time, so that windows, leases and pauses end without waiting. */
  pass(ms: number): void
  /** Names of the statements that were run, in order. */
  statements: string[]
}

export function testRuntime(): TestRuntime {
  const system = systemClock()
  const statements: string[] = []
  let passed = 0
  const clock: MovableClock = { ...system, elapsedMs: () => system.elapsedMs() + passed }
  return {
    ...systemRuntime(clock),
    statements,
    pass(ms) {
      passed += ms
    },
    async step(label) {
      // A label before a statement; "committed" follows one that is recorded already.
      if (!label.startsWith('committed ')) statements.push(label.replace('commit after ', ''))
    },
  }
}
