import type { Doors, Log, MovableClock } from '../kernel/index.ts'
import type { RoomsOptions } from './rooms.ts'

/** What a house is opened with. */
export type HouseOptions = Omit<RoomsOptions, 'db'> & {
  databaseUrls: string[]
  host: string
  port: number
  /** Where /metrics is served: a port of its own, or null for the main one. */
  metricsPort: number | null
  trustedProxies: string[]
  /** The workspace as browsers see it. Empty: our own address in the sandbox, no workspace otherwise. */
  webUrl?: string
  role: 'all' | 'api' | 'worker' | 'scanner'
  /** The devnet that the sandbox drives; undefined in production, where /sandbox does not exist. */
  sandbox: { devnetUrl: string; solidLag: number } | undefined
  doors: Doors & { clock: MovableClock }
  log: Log
  /** Not a setting: only a load test, which calls us in its own process, raises the contract's limit. */
  requestsPerMinute?: number
}
