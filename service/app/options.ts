import { type Log, type MovableClock, type Runtime, type Settings, sun } from '../kernel/index.ts'
import type { RoomsOptions } from './rooms.ts'

/** Options of the service. */
export type AppOptions = Omit<RoomsOptions, 'db' | 'books'> & {
  databaseUrls: string[]
  host: string
  port: number
  /** Address of /metrics. Null: the main port in the sandbox, none in production. */
  metricsAt: { host: string; port: number } | null
  trustedProxies: string[]
  /** Public URL of the workspace. Empty: our own address in the sandbox, no workspace in production. */
  webUrl?: string
  role: 'all' | 'api' | 'worker' | 'scanner'
  /** The devnet that the sandbox drives; undefined in production, where /sandbox does not exist. */
  sandbox: { devnetUrl: string; solidLag: number } | undefined
  runtime: Runtime & { clock: MovableClock }
  log: Log
  /** Not a setting: only a load test raises the contract's limit. */
  requestsPerMinute?: number
}

/** The limits of unverified credit that the settings name. */
export function creditLimitsOf(settings: Settings) {
  return {
    account: sun(BigInt(settings.UNVERIFIED_CREDIT_LIMIT_TRX) * 1_000_000n),
    app: sun(BigInt(settings.UNVERIFIED_CREDIT_HOUSE_TRX) * 1_000_000n),
  }
}
