import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['**/*.test.ts', '**/*.story.ts'],
    exclude: ['**/node_modules/**', '.data/**'],
    globalSetup: ['proof/testing/globalPostgres.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
})
