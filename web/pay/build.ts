import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'

const HERE = import.meta.dirname
const DIST = join(HERE, '../dist/pay')
const SCRIPT = join(DIST, 'pay.js')
const STAMP = join(DIST, 'stamp')
const BYTES_MAX = 60_000

function fingerprint(): string {
  const hash = createHash('sha256')
  for (const path of globSync('**/*.{ts,css}', { cwd: HERE }).sort()) {
    hash.update(path).update(readFileSync(join(HERE, path)))
  }
  return hash.digest('hex')
}

/** Bundles the pay page's script when its sources have changed, and prints the size of a visit. */
export async function buildPay() {
  const wanted = fingerprint()
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === wanted) return
  mkdirSync(DIST, { recursive: true })
  // A script of older sources may not fit the page, so remove it first.
  rmSync(SCRIPT, { force: true })
  // Imported here: a start whose page is built must not wait for the bundler.
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
  writeFileSync(STAMP, wanted)
}
