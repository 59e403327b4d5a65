import type { Issuer } from '../account/index.ts'
import type { Traces } from '../http/index.ts'
import {
  CannotStart,
  type Log,
  type MovableClock,
  type Runtime,
  type Settings,
  sun,
} from '../kernel/index.ts'
import type { RoomsOptions } from './roomsOptions.ts'

/** Options of the service. */
export type AppOptions = Omit<RoomsOptions, 'db' | 'books' | 'orderTraces'> & {
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
  /** Where spans go; absent: nothing is traced. */
  traces?: Traces | undefined
  /** How often it looks for what other processes have made; a second unless a test is in a hurry. */
  lookMs?: number
  /** At most so many to the database, of those for its common work; 20 unless a test opens hundreds of services. */
  connections?: number
  /** Not a setting: only a load test raises the contract's limit. */
  requestsPerMinute?: number
}

/** The nodes that the settings name; in the sandbox the devnet, which has the two ports of a node. */
export function nodesOf(
  settings: Settings,
  devnet: { url: string; solidity_url?: string } | undefined,
) {
  const { TRON_URL, TRON_SOLIDITY_URL, TRON_API_KEY } = settings
  const isNamed = TRON_URL.length > 0 && devnet === undefined
  if (isNamed && ![0, TRON_URL.length].includes(TRON_SOLIDITY_URL.length)) {
    throw new CannotStart('TRON_SOLIDITY_URL must name one address for each node of TRON_URL.')
  }
  return {
    nodeUrls: isNamed ? TRON_URL : devnet ? [devnet.url] : [],
    nodeSolidityUrls: isNamed
      ? TRON_SOLIDITY_URL
      : devnet?.solidity_url
        ? [devnet.solidity_url]
        : [],
    nodeApiKey: TRON_API_KEY,
  }
}

/** The limits of unverified credit that the settings name. */
export function creditLimitsOf(settings: Settings) {
  return {
    account: sun(BigInt(settings.UNVERIFIED_CREDIT_LIMIT_TRX) * 1_000_000n),
    app: sun(BigInt(settings.UNVERIFIED_CREDIT_HOUSE_TRX) * 1_000_000n),
  }
}

/** Who issues invoices, by the settings. */
export const issuerOf = (settings: Settings): Issuer => ({
  name: settings.COMPANY_NAME.trim(),
  address: settings.COMPANY_ADDRESS.split(';')
    .flatMap((line) => line.trim() || [])
    .join('\n'),
  registration: settings.COMPANY_REGISTRATION.trim(),
  taxNumber: settings.COMPANY_TAX_NUMBER.trim(),
  email: settings.COMPANY_EMAIL.trim(),
  note: settings.COMPANY_NOTE.trim(),
})

/** The least rewards that are claimed without being asked. */
export const claimMinOf = ({ CLAIM_MIN_TRX }: Settings) =>
  CLAIM_MIN_TRX === null ? undefined : sun(BigInt(CLAIM_MIN_TRX) * 1_000_000n)
