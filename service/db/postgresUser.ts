import { existsSync, readFileSync, statSync } from 'node:fs'
import { CannotStart } from '../kernel/index.ts'

/** The user that runs PostgreSQL, which refuses to run as root; undefined: our own user. */
export type DatabaseUser = { uid: number; gid: number }

const CANDIDATES = ['postgres', 'nobody']
const SETPRIV = '/usr/bin/setpriv'

export function chooseUser(data: string): DatabaseUser | undefined {
  if (process.getuid!() !== 0) return undefined
  if (existsSync(data)) {
    const { uid, gid } = statSync(data)
    if (uid !== 0) return { uid, gid }
  }
  for (const name of CANDIDATES) {
    const line = readFileSync('/etc/passwd', 'utf8')
      .split('\n')
      .find((l) => l.startsWith(`${name}:`))
    const [, , uid, gid] = line?.split(':') ?? []
    if (uid) return { uid: Number(uid), gid: Number(gid) }
  }
  throw new CannotStart(
    'PostgreSQL cannot run as root; start as another user, or set DATABASE_URL.',
  )
}

/**
 * Keeps one capability, to read through closed folders, so that a data folder below a private home
 * (mode 0700) works. The price: this server could read any file; it accepts only our connections.
 */
export function commandAs(
  user: DatabaseUser | undefined,
  command: string,
  args: string[],
): [string, string[]] {
  if (!user) return [command, args]
  if (!existsSync(SETPRIV)) {
    throw new CannotStart(
      'setpriv (util-linux) is missing; start as an ordinary user instead of root.',
    )
  }
  const identity = [`--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups']
  const capability = ['--inh-caps=+dac_read_search', '--ambient-caps=+dac_read_search']
  return [SETPRIV, [...identity, ...capability, command, ...args]]
}
