import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { ensureDatabase, migrate, startPostgres } from '../../service/db/index.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Connection URL of the run's server with ROLE and DATABASE to fill in. */
    postgres: string
  }
}

/**
 * One server per test run, with fsync off and synchronous_commit on, and one migrated template that
 * each test file clones. Tests of durability start their own servers.
 */
export default async function setup(project: TestProject) {
  const folder = mkdtempSync(join(tmpdir(), 'ergon-test-'))
  const postgres = await startPostgres({ folder, fsync: false })
  // Stop the server also when the run is ended from outside.
  const last = () => void process.kill(postgres.pid, 'SIGINT')
  const end = () => process.exit(1)
  process.once('exit', last).once('SIGTERM', end)
  const stop = async () => {
    process.off('exit', last).off('SIGTERM', end)
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    await ensureDatabase(postgres, 'template_ergon')
    await migrate(postgres.url('ergon_admin', 'template_ergon'))
  } catch (error) {
    // Stop the server also when the setup fails.
    await stop()
    throw error
  }
  project.provide('postgres', postgres.url('ROLE', 'DATABASE'))
  return stop
}
