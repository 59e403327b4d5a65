import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['**/*.test.ts', '**/*.story.ts'],
    exclude: ['**/node_modules/**', '.data/**'],
    globalSetup: ['proof/testing/globalPostgres.ts'],
    pool: 'forks',
    maxWorkers: 2,
    // Names its process for the runner and sets the time limits, stretched for this machine.
    setupFiles: ['proof/testing/worker.ts'],
  },
})
