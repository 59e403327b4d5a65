import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { folderOf, isBuilt, stampOf } from '../built.ts'
import { type Assets, layout } from './layout.ts'
import type { Page, Section } from './page.ts'
import { searchEntries } from './search.ts'
import { readSite } from './site.ts'

const HERE = import.meta.dirname
const DIST = folderOf('docs')
const FIRST_BYTES_MAX = 250_000

/** Renders the documentation into files when its sources have changed, and checks the size of a first visit. */
export async function buildDocs(wanted: string) {
  if (isBuilt('docs', wanted)) return
  rmSync(DIST, { recursive: true, force: true })
  mkdirSync(join(DIST, 'assets'), { recursive: true })
  const { client, operating } = readSite()
  const assets = await writeAssets(client)
  for (const page of pagesOf(client)) write(page.path, layout(page, client, assets))
  for (const page of pagesOf(operating)) write(page.path, layout(page, operating, assets))
  const packed = (name: string) => readFileSync(join(DIST, `${name}.gz`)).length
  const files = Object.values(assets).map((address) => address.replace('/docs/', ''))
  const largest = Math.max(...pagesOf(client).map(({ path }) => packed(fileOf(path))))
  const bytes = files.map(packed).reduce((sum, size) => sum + size, largest)
  if (bytes > FIRST_BYTES_MAX) {
    throw new Error(
      `A visit of the documentation is ${bytes} bytes packed; ${FIRST_BYTES_MAX} are the most.`,
    )
  }
  writeFileSync(join(DIST, 'entry-bytes'), String(bytes))
  writeFileSync(stampOf('docs'), wanted)
}

const pagesOf = (sections: Section[]): Page[] => sections.flatMap(({ pages }) => pages)

async function writeAssets(client: Section[]): Promise<Assets> {
  // Imported here: tests whose pages are built must not wait for the bundler.
  const { build } = await import('rolldown')
  const { output } = await build({
    input: join(HERE, 'main.ts'),
    output: { format: 'iife', minify: true },
    write: false,
    logLevel: 'warn',
  })
  return {
    style: asset('css', readFileSync(join(HERE, 'site.css'), 'utf8')),
    script: asset('js', output[0].code),
    icon: asset('svg', readFileSync(join(HERE, '../shared/icon.svg'), 'utf8')),
    search: asset('json', JSON.stringify(searchEntries(pagesOf(client)))),
  }
}

/** The name carries the hash of the content, so a browser may keep it for ever. */
function asset(kind: string, content: string): string {
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 12)
  const name = `assets/docs-${hash}.${kind}`
  writePacked(name, content)
  return `/docs/${name}`
}

const fileOf = (path: string) => `${path.replace(/^\/docs\/?/, '') || 'index'}.html`

function write(path: string, html: string) {
  writePacked(fileOf(path), html)
}

function writePacked(name: string, content: string) {
  const file = join(DIST, name)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, content)
  writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }))
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9 }
  writeFileSync(`${file}.br`, brotliCompressSync(content, { params }))
}
