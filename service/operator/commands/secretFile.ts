import { existsSync, statSync } from 'node:fs'
import { CannotStart } from '../../kernel/index.ts'

/** The command that keeps others from reading or changing it; undefined when they cannot. */
export function remedyOfMode(path: string): string | undefined {
  const stat = statSync(path)
  if ((stat.mode & 0o077) === 0) return undefined
  return `chmod ${stat.isDirectory() ? 700 : 600} ${path}`
}

/** Says why we refuse a file with a secret. Undefined if we take it, or if it is missing: reading it says so. */
export function troubleOfSecret(path: string): string | undefined {
  const remedy = existsSync(path) ? remedyOfMode(path) : undefined
  return remedy && `Others can read or change ${path}. First: ${remedy}`
}

/** Returns the path; throws if other users can read the file. */
export function forUsAlone(path: string): string {
  const trouble = troubleOfSecret(path)
  if (trouble) throw new CannotStart(trouble)
  return path
}
