import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { folderOf, isBuilt, stampOf } from './built.ts'
import { BYTES_MAX, type PlainPart, scriptOf, stylesOf } from './plain.ts'

/** Bundles the script of a page that the service renders, when its sources have changed, and checks the size of a visit. */
export async function buildPlain(part: PlainPart, wanted: string) {
  if (isBuilt(part, wanted)) return
  const script = scriptOf(part)
  mkdirSync(folderOf(part), { recursive: true })
  // A script of older sources may not fit the page, so remove it first.
  rmSync(script, { force: true })
  // Imported here: tests whose page is built must not wait for the bundler.
  const { build } = await import('rolldown')
  await build({
    input: join(import.meta.dirname, part, 'main.ts'),
    output: { file: script, format: 'esm', minify: true },
    logLevel: 'warn',
  })
  const packed = (path: string) => gzipSync(readFileSync(path), { level: 9 }).length
  const bytes = [script, ...stylesOf(part)].reduce((sum, path) => sum + packed(path), 0)
  if (bytes > BYTES_MAX[part]) {
    rmSync(script)
    throw new Error(`The ${part} page is ${bytes} bytes packed; ${BYTES_MAX[part]} are the most.`)
  }
  writeFileSync(stampOf(part), wanted)
}
