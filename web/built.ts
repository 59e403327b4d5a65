// Whether the pages are built, and from which sources. It loads no bundler: every start asks it.
import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')
export type Part = 'pay' | 'front' | 'status' | 'docs' | 'workspace' | 'console'
const PARTS: readonly Part[] = ['pay', 'front', 'status', 'docs', 'workspace', 'console']

export const folderOf = (part: Part) => join(import.meta.dirname, 'dist', part)
/** Written last, with the fingerprint of the sources. */
export const stampOf = (part: Part) => join(folderOf(part), 'stamp')

/** A sentence that says what to run, or undefined when all pages are built from the sources that are here. */
export function troubleOfPages(): string | undefined {
  if (!PARTS.every((part) => existsSync(stampOf(part)))) {
    return 'The pages are not built: run `npm run build`.'
  }
  const wanted = fingerprints()
  if (PARTS.every((part) => isBuilt(part, wanted[part]))) return undefined
  return 'The pages were built from other sources: stop what runs from this folder, then run `npm run build`.'
}

export function isBuilt(part: Part, wanted: string): boolean {
  const stamp = stampOf(part)
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted
}

export function fingerprints(): Record<Part, string> {
  const site = fingerprint(siteSources())
  return {
    pay: fingerprint(plainSources('pay')),
    front: fingerprint(plainSources('front')),
    status: fingerprint(plainSources('status')),
    docs: fingerprint(docsSources()),
    workspace: site,
    console: site,
  }
}

function fingerprint(paths: string[]): string {
  const hash = createHash('sha256')
  for (const path of paths) hash.update(path).update(readFileSync(join(ROOT, path)))
  return hash.digest('hex')
}

/** Pages that the service renders; they share some of the parts of the applications. */
const plainSources = (part: Part) => [
  ...sources(`web/${part}/**/*.{ts,css}`),
  ...sources('web/shared/*.{ts,css,svg}'),
  ...sources('contract/trx.ts'),
]

const docsSources = () => [
  ...sources('docs/{guide,operating,examples}/*.{md,svg,json}'),
  ...sources('sdk/README.md'),
  ...sources('web/docs/*.{ts,css}'),
  ...sources('web/shared/{html.ts,icon.svg}'),
  ...sources('contract/**/*.ts'),
]

function siteSources(): string[] {
  const all = sources('{web,contract}/**/*.{ts,tsx,css,html,json,svg}')
  return [
    ...all.filter((path) => !/^web\/(pay|front|status|docs)\//.test(path)),
    'package-lock.json',
  ]
}

/** Without tests, which an image does not have. */
function sources(pattern: string): string[] {
  const all = globSync(pattern, { cwd: ROOT })
  return all.filter((path) => !/\/(dist|node_modules)\/|\.test\.ts$/.test(path)).sort()
}
