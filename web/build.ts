// `npm run build`: builds the pages whose sources have changed, compresses them, and checks the size of a
// first visit.
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { buildPlain } from './buildPlain.ts'
import { fingerprints, folderOf, isBuilt, stampOf } from './built.ts'
import { buildDocs } from './docs/build.ts'

const wanted = fingerprints()
/** Most bytes of a first visit, by HTML file. */
const BYTES_MAX: Record<string, number> = { 'index.html': 260_000, 'entrance.html': 75_000 }
/** The applications and their paths. */
const SITES = { workspace: '/', console: '/operator/' }

/** A typeface is packed as it is. */
const packedBytes = (path: string) =>
  readFileSync(path.endsWith('.woff2') ? path : `${path}.gz`).length

type Manifest = Record<
  string,
  { file: string; isEntry?: boolean; css?: string[]; imports?: string[] }
>

function pack(folder: string) {
  for (const name of globSync('assets/*.{js,css,svg}', { cwd: folder })) {
    const path = join(folder, name)
    const content = readFileSync(path)
    writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }))
    const params = { [constants.BROTLI_PARAM_QUALITY]: 9 }
    writeFileSync(`${path}.br`, brotliCompressSync(content, { params }))
  }
}

/**
 * Size of everything the browser loads before the first page: the entry, its imports, its styles and
 * its typeface, packed.
 */
function entryBytes(folder: string, page: string): number {
  const manifest: Manifest = JSON.parse(readFileSync(join(folder, '.vite/manifest.json'), 'utf8'))
  const files = new Set<string>()
  const visit = (name: string) => {
    const { file, css = [], imports = [] } = manifest[name]!
    if (files.has(file)) return
    for (const one of [file, ...css]) files.add(one)
    for (const one of imports) visit(one)
  }
  visit(page)
  for (const font of globSync('assets/*.woff2', { cwd: folder })) files.add(font)
  return [...files].reduce((all, file) => all + packedBytes(join(folder, file)), 0)
}

/** The HTML files of a site: the application, and the pages before its sign-in. */
const pagesOf = (name: keyof typeof SITES) => globSync(join(import.meta.dirname, name, '*.html'))

async function buildSite(name: keyof typeof SITES) {
  if (isBuilt(name, wanted[name])) return
  const folder = folderOf(name)
  // Also when tests call it: React's development build is twice as large.
  process.env.NODE_ENV = 'production'
  // Imported here: tests whose pages are built must not wait for Vite.
  const { build } = await import('vite')
  await build({
    configFile: join(import.meta.dirname, 'vite.config.ts'),
    root: join(import.meta.dirname, name),
    base: SITES[name],
    build: { outDir: folder, rolldownOptions: { input: pagesOf(name) } },
    logLevel: 'error',
  })
  pack(folder)
  for (const page of pagesOf(name).map((path) => basename(path))) {
    const bytes = entryBytes(folder, page)
    const most = BYTES_MAX[page]!
    if (bytes > most) {
      rmSync(join(folder, page))
      throw new Error(`${page} of the ${name} is ${bytes} bytes packed; ${most} are the most.`)
    }
  }
  writeFileSync(stampOf(name), wanted[name])
}

// Each by itself: an error in one must not keep the others from being built.
const builds = [
  () => buildPlain('pay', wanted.pay),
  () => buildPlain('front', wanted.front),
  () => buildPlain('status', wanted.status),
  () => buildDocs(wanted.docs),
  () => buildSite('workspace'),
  () => buildSite('console'),
]
for (const build of builds) {
  await build().catch((error: Error) => {
    console.error(error.message)
    process.exitCode = 1
  })
}
