/**
 * Workspace and console each have their own cookies, sent only to their own path. Neither pages nor the
 * client API get one, and no call carries both.
 */
export type Entrance = {
  role: 'client' | 'operator'
  path: string
  cookiePrefix: string
  /** A session ends after this time without use. */
  idleSeconds: number
  /** Least interval between two updates of a session's use. */
  renewSeconds: number
  /** Maximum life of a session. */
  longestMs: number
}

const DAY_SECONDS = 86_400

export const ENTRANCES = {
  client: {
    role: 'client',
    path: '/app/v1',
    cookiePrefix: 'ergon',
    idleSeconds: 7 * DAY_SECONDS,
    renewSeconds: DAY_SECONDS,
    longestMs: Number.POSITIVE_INFINITY,
  },
  operator: {
    role: 'operator',
    path: '/operator/v1',
    cookiePrefix: 'ergon-operator',
    idleSeconds: 30 * 60,
    renewSeconds: 60,
    longestMs: 12 * 3_600_000,
  },
} as const satisfies Record<string, Entrance>

/** The library's cookie between the first and the second step of a sign-in. */
export const HALF_WAY = 'two_factor'

/** Keeps only the cookie of the half-finished sign-in: with a session the library would not count wrong codes. */
export function halfWayOnly(cookie: string | undefined, { cookiePrefix }: Entrance): string {
  const cookies = (cookie ?? '').split(';').map((one) => one.trim())
  const names = ['', '__Secure-'].map((start) => `${start}${cookiePrefix}.${HALF_WAY}=`)
  return cookies.filter((one) => names.some((name) => one.startsWith(name))).join('; ')
}
