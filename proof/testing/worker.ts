// Runs in each worker process of Vitest before its test file.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, inject, vi } from 'vitest'
import { countProcessor } from '../../scripts/index.ts'
import './cheapPasswords.ts'
import { stretched } from './stretched.ts'

/** Long on purpose: these limits end tests that hang. Slow tests are allowed. */
vi.setConfig({ testTimeout: stretched(120_000), hookTimeout: stretched(120_000) })

// Records the pid: the runner ends a silent file by ending its process.
const folder = process.env.ERGON_WORKERS
if (folder) writeFileSync(join(folder, String(process.pid)), expect.getState().testPath ?? '')

// `npm run mutants` records once what each test file runs.
const covered = process.env.ERGON_COVERED
if (covered) await (await import('./cover.ts')).measure(covered)

// Where the time goes: the runner prints it.
const list = process.env.ERGON_PROCESSOR
if (list) afterAll(countProcessor(list, expect.getState().testPath ?? '', inject('postgresPid')))
