import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { folderOf, isBuilt, stampOf } from '../built.ts'

const HERE = import.meta.dirname
const DIST = folderOf('pay')
const SCRIPT = join(DIST, 'pay.js')
const BYTES_MAX = 60_000

/** Bundles the pay page's script when its sources have changed, and checks the size of a visit. */
export async function buildPay(wanted: string) {
  if (isBuilt('pay', wanted)) return
  mkdirSync(DIST, { recursive: true })
  // A script of older sources may not fit the page, so remove it first.
  rmSync(SCRIPT, { force: true })
  // Imported here: tests whose page is built must not wait for the bundler.
  const { build } = await import('rolldown')
  await build({
    input: join(HERE, 'main.ts'),
    output: { file: SCRIPT, format: 'esm', minify: true },
    logLevel: 'warn',
  })
  const packed = (path: string) => gzipSync(readFileSync(path), { level: 9 }).length
  const styles = globSync('*.css', { cwd: HERE }).map((name) => join(HERE, name))
  const bytes = [SCRIPT, ...styles].reduce((sum, path) => sum + packed(path), 0)
  if (bytes > BYTES_MAX) {
    rmSync(SCRIPT)
    throw new Error(`The pay page is ${bytes} bytes packed; ${BYTES_MAX} are the most.`)
  }
  writeFileSync(stampOf('pay'), wanted)
}
