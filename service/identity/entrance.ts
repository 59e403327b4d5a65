/**
 * Two entrances, each with cookies of its own name, sent with calls under its own path alone: neither
 * a page nor the client API ever gets one, and no call carries both.
 */
export type Entrance = {
  role: 'client' | 'operator'
  path: string
  cookiePrefix: string
  /** A session that nobody uses ends after this. */
  idleSeconds: number
  /** Use is noted this often at most. */
  renewSeconds: number
  /** A session ends after this, used or not. */
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

/** The library's cookie of somebody who has shown a password or a wallet, and no code yet. */
export const HALF_WAY = 'two_factor'

/** The cookie of somebody half way in, without the others: a session would be tried without a count. */
export function halfWayOnly(cookie: string | undefined, { cookiePrefix }: Entrance): string {
  const cookies = (cookie ?? '').split(';').map((one) => one.trim())
  const names = ['', '__Secure-'].map((start) => `${start}${cookiePrefix}.${HALF_WAY}=`)
  return cookies.filter((one) => names.some((name) => one.startsWith(name))).join('; ')
}
