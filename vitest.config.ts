import { defineConfig } from 'vitest/config'
import { LongestFirst } from './scripts/test/longestFirst.ts'

export default defineConfig({
  test: {
    include: ['**/*.test.ts', '**/*.story.ts'],
    exclude: ['**/node_modules/**', '.data/**'],
    globalSetup: ['proof/testing/globalPostgres.ts'],
    pool: 'forks',
    // One more than cores: many tests wait for a process or a block.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    // Names its process for the runner and sets the time limits, stretched for this machine.
    setupFiles: ['proof/testing/worker.ts'],
  },
})
