import { execFile } from 'node:child_process'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..', '..')
const BUILD_MS_MAX = 45_000

/** Builds the web when its sources have changed. Returns the error, if any. */
export function buildPages(): Promise<string | undefined> {
  const options = { cwd: ROOT, timeout: BUILD_MS_MAX, env: {} }
  return new Promise((resolve) => {
    execFile(process.execPath, ['web/build.ts'], options, (error, _output, complaints) => {
      resolve(error ? complaints.trim() || error.message : undefined)
    })
  })
}
