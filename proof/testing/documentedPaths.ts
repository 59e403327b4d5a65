import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { inlineIn } from './documented.ts'

const FILE = /\.(?:ts|tsx|mjs|sql|md|css|html|svg|yml|cfg|conf)$/
const FOLDERS =
  /^(?:cli|contract|deploy|devnet|docs|proof|scripts|sdk|service|tron|web)(?:\/[\w.@-]+)+\/?$/
const RELATIVE = /^[\w@-][\w.@-]*(?:\/[\w.@-]+)*\/?$/
/** File names that many rooms use, so a page may name them without a folder. */
const CONVENTIONS = ['index.ts', 'store.ts', 'up.sql', 'before.sql', 'after.sql']
/** Written by a build, absent in a fresh checkout. */
const BUILT = ['sdk/dist']

/** Paths that a page names: link targets, and inline code that looks like a file or folder. */
export function pathsIn(text: string): string[] {
  const links = [...text.matchAll(/\]\(([^)#\s]+)[^)]*\)/g)].map(([, link]) => link!)
  const targets = links.filter((link) => !/^(?:[a-z]+:|\/)/.test(link))
  const named = inlineIn(text).filter(isPath)
  return [...targets, ...named]
}

function isPath(code: string): boolean {
  if (CONVENTIONS.includes(code) || BUILT.includes(code)) return false
  if (FOLDERS.test(code)) return true
  return RELATIVE.test(code) && (FILE.test(code) || (code.endsWith('/') && code.length > 1))
}

/** The paths that exist neither beside the page nor below the root. */
export function absentPaths(root: string, page: string, text: string): string[] {
  const places = [join(root, dirname(page)), root]
  return pathsIn(text).filter((path) => !places.some((place) => existsSync(join(place, path))))
}
