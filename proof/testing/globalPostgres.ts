import { existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { noteServer } from '../../scripts/index.ts'
import {
  connectClient,
  ensureDatabase,
  migrate,
  type Postgres,
  startPostgres,
} from '../../service/db/index.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Connection URL of the run's server with ROLE and DATABASE to fill in. */
    postgres: string
    postgresPid: number
    /** Of this run, for programs in one file. */
    bundles: string
  }
}

const MEMORY_DISK = '/dev/shm'
/** The log of the server is a gigabyte, a database 20 MB; many files are open at once. */
const DISK_BYTES = 4 * 2 ** 30
const MEMORY_BYTES = 8 * 2 ** 30

/**
 * A disk in memory where there is room: a run makes and drops hundreds of databases of a thousand files, and each takes
 * a disk 50 to 180 ms, memory 23 ms.
 */
function baseFolder(): string {
  if (!existsSync(MEMORY_DISK) || process.availableMemory() < MEMORY_BYTES) return tmpdir()
  const { bavail, bsize } = statfsSync(MEMORY_DISK)
  return bavail * bsize < DISK_BYTES ? tmpdir() : MEMORY_DISK
}

/**
 * One server per test run, with fsync off and synchronous_commit on, and one migrated template that
 * each test file clones. Tests of durability start their own servers.
 */
export default async function setup(project: TestProject) {
  const folder = mkdtempSync(join(baseFolder(), 'ergon-test-'))
  const bundles = mkdtempSync(join(tmpdir(), 'ergon-programs-'))
  const removeFolders = () => {
    for (const one of [folder, bundles]) rmSync(one, { recursive: true, force: true })
  }
  const postgres = await startPostgres({ folder, fsync: false })
  // Stop the server also when the run is ended from outside, and leave nothing in memory.
  const last = () => {
    process.kill(postgres.pid, 'SIGINT')
    removeFolders()
  }
  const end = () => process.exit(1)
  process.once('exit', last).once('SIGTERM', end)
  const stop = async () => {
    const list = process.env.ERGON_PROCESSOR
    if (list) noteServer(list, postgres.pid)
    process.off('exit', last).off('SIGTERM', end)
    await postgres.stop()
    removeFolders()
  }
  try {
    await ensureDatabase(postgres, 'template_ergon')
    await planOnce(postgres)
    await migrate(postgres.url('ergon_admin', 'template_ergon'))
  } catch (error) {
    // Stop the server also when the setup fails.
    await stop()
    throw error
  }
  project.provide('postgres', postgres.url('ROLE', 'DATABASE'))
  project.provide('postgresPid', postgres.pid)
  project.provide('bundles', bundles)
  return stop
}

/**
 * A session plans a statement once, where PostgreSQL would plan its first five executions: the sessions of a
 * test rarely come to the sixth, and half of the server's time was planning.
 */
async function planOnce(postgres: Postgres): Promise<void> {
  const client = await connectClient({ connectionString: postgres.url('ergon_admin', 'postgres') })
  try {
    await client.query('alter system set plan_cache_mode = force_generic_plan')
    await client.query('select pg_reload_conf()')
  } finally {
    await client.end()
  }
}
