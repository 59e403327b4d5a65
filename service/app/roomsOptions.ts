import type { NodeClient } from '@ergon/tron'
import type { Issuer } from '../account/index.ts'
import type { ChatOptions } from '../chat/index.ts'
import type { Db } from '../db/index.ts'
import type { CreditLimits } from '../deposits/index.ts'
import type { TermsText } from '../identity/index.ts'
import type { Log, MovableClock, Runtime, Sun } from '../kernel/index.ts'
import type { MailOptions } from '../mail/index.ts'
import type { Marketplace } from '../providers/index.ts'
import type { WebhookOptions } from '../webhooks/index.ts'
import type { OrderTraces } from './orderTraces.ts'

export type RoomsOptions = {
  db: Db
  /** For the auditor, with limits of its own; absent: `db`. */
  books?: Db
  /** For purchases that wait for an account; absent: `db`. */
  waitingDb?: Db
  /** Instead of the ages of the auditor's proofs: the simulation checks the invariants itself. */
  unproven?(): string | undefined
  runtime: Runtime & { clock: MovableClock }
  log: Log
  nodeUrls: string[]
  /** Where each of them serves /walletsolidity; absent or empty: it is found. */
  nodeSolidityUrls?: string[]
  nodeApiKey: string
  /** Instead of a client for `nodeUrls`: the simulation's chain is in its own process. */
  node?: NodeClient
  /** Polling interval of the scanner. */
  scanMs: number
  /** Of the sandbox: milliseconds between blocks, 0 when they come on demand. Absent: a real network. */
  blockMs?: number | undefined
  /** The longest that a purchase waits for what the node says of its receiver; absent: 150. */
  receiverMs?: number
  depositXpub: string
  /** The least amount swept from a deposit address; absent: no sweeps. */
  sweepMin?: Sun
  /** The least rewards of a stake's votes that are claimed without being asked; absent: none are. */
  claimMin?: Sun | undefined
  /** Limits of unverified credit that differ from the defaults. */
  creditLimits?: Partial<CreditLimits>
  /** Adjustments that one operator may book in 24 hours without a second operator. */
  adjustmentLimit?: Sun
  /** Marketplaces besides our own stake; below, the control URLs of the sandbox's stand-ins. */
  marketplaces?: readonly Marketplace[]
  standIns?: ReadonlyMap<string, string>
  webhooks: WebhookOptions
  /** The token that a transfer is assumed to be of; absent: USDT of mainnet. */
  usdtContract?: string
  chat?: ChatOptions
  /** Terms and privacy notice; absent: none. */
  texts?: readonly TermsText[]
  /** Who issues invoices; absent: nobody has said. */
  issuer?: Issuer
  /** How letters go out; absent, there are none. */
  mail?: MailOptions
  /** Called when a block was read or has become final: there may be work for any loop. */
  onBlock?: () => void
  /** Wakes the signer. */
  wakeSigner(): void
  /** Told of purchases and of orders that have become final; absent: nobody traces. */
  orderTraces?: OrderTraces | undefined
}
