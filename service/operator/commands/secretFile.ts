import { existsSync, statSync } from 'node:fs'
import { CannotStart } from '../../kernel/index.ts'

/** The command that keeps others from reading or changing it; undefined when they cannot. */
export function remedyOfMode(path: string): string | undefined {
  const stat = statSync(path)
  if ((stat.mode & 0o077) === 0) return undefined
  return `chmod ${stat.isDirectory() ? 700 : 600} ${path}`
}

/** Why a file with a secret is refused; undefined for one that is missing, which its reader says. */
export function troubleOfSecret(path: string): string | undefined {
  const remedy = existsSync(path) ? remedyOfMode(path) : undefined
  return remedy && `Others can read or change ${path}. First: ${remedy}`
}

/** The path, of a file that nobody else can read. */
export function forUsAlone(path: string): string {
  const trouble = troubleOfSecret(path)
  if (trouble) throw new CannotStart(trouble)
  return path
}
