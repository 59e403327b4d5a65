import { CannotStart } from '../kernel/index.ts'

/** A server that we never use, whatever it holds: its version or its settings are wrong. */
export class UnfitServer extends CannotStart {
  readonly trouble: string
  readonly remedy: string

  constructor(trouble: string, remedy: string) {
    super(`${trouble} ${remedy}`)
    this.trouble = trouble
    this.remedy = remedy
  }
}

/** `npm run prove -- --only versions` migrates, buys and audits on each version from here on. */
const VERSION_LEAST = 15

/** Why a server that answers is not used; `version` as in server_version_num. */
export function unfitness(server: { version: number; commit: string }): UnfitServer | undefined {
  const { version, commit } = server
  const major = Math.floor(version / 10_000)
  if (major < VERSION_LEAST) {
    const trouble = `PostgreSQL ${VERSION_LEAST} or newer is needed, and this server is ${major}.`
    return new UnfitServer(trouble, 'Upgrade it with pg_upgrade, or name another server.')
  }
  if (commit !== 'off') return undefined
  const trouble = 'synchronous_commit is off: an acknowledged purchase could vanish.'
  return new UnfitServer(trouble, 'Turn it on in the database.')
}

/** Sessions pass from one client to another between transactions. */
export const behindPooler = () =>
  new UnfitServer(
    'A pooler in transaction mode is in front of PostgreSQL: settings and prepared statements are lost.',
    'Set pool_mode = session in the pooler, or name the server itself.',
  )
