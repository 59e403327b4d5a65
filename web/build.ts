// Builds the pages whose sources have changed, packs them, and weighs what a first visit loads.
import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { buildPay } from './pay/build.ts'

const ROOT = join(import.meta.dirname, '..')
const DIST = join(import.meta.dirname, 'dist/workspace')
const STAMP = join(DIST, 'stamp')
const ENTRY_BYTES_MAX = 200_000

type Manifest = Record<
  string,
  { file: string; isEntry?: boolean; css?: string[]; imports?: string[] }
>

function fingerprint(): string {
  const hash = createHash('sha256')
  const sources = globSync('{web,contract}/**/*.{ts,tsx,css,html,json,svg}', { cwd: ROOT })
  const own = sources.filter((path) => !/(^|\/)(dist|node_modules|pay)\//.test(path)).sort()
  for (const path of [...own, 'package-lock.json']) {
    hash.update(path).update(readFileSync(join(ROOT, path)))
  }
  return hash.digest('hex')
}

function pack() {
  for (const name of globSync('assets/*.{js,css,svg}', { cwd: DIST })) {
    const path = join(DIST, name)
    const content = readFileSync(path)
    writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }))
    const params = { [constants.BROTLI_PARAM_QUALITY]: 9 }
    writeFileSync(`${path}.br`, brotliCompressSync(content, { params }))
  }
}

/** Everything the browser has before it can show the first page: the entry, its imports, its styles. */
function entryBytes(): number {
  const manifest: Manifest = JSON.parse(readFileSync(join(DIST, '.vite/manifest.json'), 'utf8'))
  const files = new Set<string>()
  const visit = (name: string) => {
    const { file, css = [], imports = [] } = manifest[name]!
    if (files.has(file)) return
    for (const one of [file, ...css]) files.add(one)
    for (const one of imports) visit(one)
  }
  for (const [name, { isEntry }] of Object.entries(manifest)) if (isEntry) visit(name)
  return [...files].reduce((all, file) => all + readFileSync(join(DIST, `${file}.gz`)).length, 0)
}

async function buildWorkspace() {
  const wanted = fingerprint()
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === wanted) return
  // Whoever calls, tests among them: React in its development form is twice as heavy.
  process.env.NODE_ENV = 'production'
  // Loaded here: a start whose pages are built must not wait for the builder.
  const { build } = await import('vite')
  await build({ configFile: join(import.meta.dirname, 'vite.config.ts'), logLevel: 'error' })
  pack()
  const bytes = entryBytes()
  if (bytes > ENTRY_BYTES_MAX) {
    rmSync(join(DIST, 'index.html'))
    throw new Error(
      `The entry of the workspace is ${bytes} bytes packed; ${ENTRY_BYTES_MAX} are the most.`,
    )
  }
  writeFileSync(join(DIST, 'entry-bytes'), String(bytes))
  writeFileSync(STAMP, wanted)
}

// Each by itself: what is wrong with one must not take the other away.
for (const build of [buildPay, buildWorkspace]) {
  await build().catch((error: Error) => {
    console.error(error.message)
    process.exitCode = 1
  })
}
