import { isTimeout, wasNeverSent } from '../../db/index.ts'

/** insufficient_privilege */
const NOT_ALLOWED = '42501'

type Coded = Error & { code?: string; path?: string; severity?: string }

/** An error as a sentence for an operator. PostgreSQL's own text may quote rows, so only its code is shown. */
export function troubleOf(error: unknown): string {
  const { message, code, path, severity } = error as Coded
  if (path !== undefined && code !== undefined) return `${path} cannot be read (${code}).`
  if (wasNeverSent(error)) return `The database cannot be reached: ${message}.`
  if (isTimeout(error)) return 'The database took too long. Try again when it is less busy.'
  if (code === NOT_ALLOWED) {
    return 'This role of the database may not do that. The signer has its own: DATABASE_SIGNER_URL.'
  }
  if (severity !== undefined) {
    return `The database refused it (code ${code}). npx ergon doctor says whether the database is well.`
  }
  return message || String(error)
}
