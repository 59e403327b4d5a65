/**
 * Two entrances, each with cookies of its own name, sent with calls under its own path alone: neither
 * a page nor the client API ever gets one, and no call carries both.
 */
export type Entrance = { role: 'client' | 'operator'; path: string; cookiePrefix: string }
export const ENTRANCES = {
  client: { role: 'client', path: '/app/v1', cookiePrefix: 'ergon' },
  operator: { role: 'operator', path: '/operator/v1', cookiePrefix: 'ergon-operator' },
} as const satisfies Record<string, Entrance>
