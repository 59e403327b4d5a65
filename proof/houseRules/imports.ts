import { dirname, join } from 'node:path/posix'
import { lineAt, type Source } from './source.ts'

const IMPORT =
  /(?:^|\n)\s*(?:import|export)\b[^'"`;]*?\bfrom\s*'([^']+)'|(?:^|\n)\s*import\s*'([^']+)'|\bimport\(\s*'([^']+)'\s*\)/g

/** The file that an import names, and its line. */
export type Import = { target: string; line: number }

/** What a file imports of ours, types included. */
export function importsOf({ path, code }: Source): Import[] {
  return [...code.matchAll(IMPORT)].flatMap((match) => {
    const specifier = match[1] ?? match[2] ?? match[3]!
    const target = targetOf(path, specifier)
    const line = lineAt(code, match.index + match[0].lastIndexOf(specifier))
    return target === undefined ? [] : [{ target, line }]
  })
}

/** The file an import names, or undefined for a package of somebody else. */
function targetOf(importer: string, specifier: string): string | undefined {
  if (specifier.startsWith('.')) return join(dirname(importer), specifier)
  const own = /^@ergon\/(\w+)(?:\/(.+))?$/.exec(specifier)
  return own ? `${own[1]}/${own[2] ?? 'index.ts'}` : undefined
}
