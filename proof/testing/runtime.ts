import {
  type MovableClock,
  type Runtime,
  systemClock,
  systemRuntime,
} from '../../service/kernel/index.ts'

export type TestRuntime = Runtime & {
  clock: MovableClock
  /** Advances elapsed time: windows, leases and pauses end without real waiting. */
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
      // Before a statement; what is called "committed" comes after it and tells nothing new.
      if (!label.startsWith('committed ')) statements.push(label.replace('commit after ', ''))
    },
  }
}
