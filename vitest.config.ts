import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Vitest begins with the files that took longest the last time. In a fresh clone nobody knows the times, so
 * the longest are named here: begun last, one of them would keep a single core busy while the others wait.
 */
const LONG = [
  'proof/simulation/simulation.test.ts',
  'proof/stories/commands.story.ts',
  'proof/faults/crash-payout.test.ts',
  'proof/readme.test.ts',
  'proof/faults/start.test.ts',
  'proof/stories/chat.story.ts',
  'proof/faults/crash-purchase.test.ts',
  'proof/stories/reorganisations.story.ts',
  'proof/faults/crash-agent.test.ts',
  'proof/stories/receivers.story.ts',
  'proof/faults/webhooks-killed.test.ts',
  'proof/faults/crash-autoenergy.test.ts',
  'proof/stories/client-commands.story.ts',
  'proof/faults/one-signer.test.ts',
  'proof/stories/sweeps.story.ts',
]

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const at = LONG.findIndex((file) => moduleId.endsWith(`/${file}`))
      return at < 0 ? LONG.length : at
    }
    return (await super.sort(files)).sort((a, b) => place(a) - place(b))
  }
}

export default defineConfig({
  test: {
    include: ['**/*.test.ts', '**/*.story.ts'],
    exclude: ['**/node_modules/**', '.data/**'],
    globalSetup: ['proof/testing/globalPostgres.ts'],
    pool: 'forks',
    // A worker runs many files and loads the service once: that, and a warm compiler, is two fifths of the work.
    isolate: false,
    // One more than cores: many tests wait for a process or a block.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    // Names its process for the runner and sets the time limits, stretched for this machine.
    setupFiles: ['proof/testing/worker.ts'],
  },
})
