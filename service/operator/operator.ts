import type { Invoices } from '../account/index.ts'
import type { Addresses } from '../addresses/index.ts'
import type { Books, Statements } from '../books/index.ts'
import type { Db } from '../db/index.ts'
import type { Events } from '../events/index.ts'
import type { Accounts, Clients, Notes, Terms } from '../identity/index.ts'
import type { Runtime, Sun } from '../kernel/index.ts'
import type { Ledger } from '../ledger/index.ts'
import type { StakeCosts } from '../providers/index.ts'
import type { Evidence, Status as PublicStatus } from '../status/index.ts'
import type { Webhooks } from '../webhooks/index.ts'
import { type Actions, createActions } from './actions.ts'
import { type Adjustments, createAdjustments } from './adjustments.ts'
import { type Announcing, createAnnouncing } from './announcing.ts'
import { type Blocking, createBlocking } from './blocking.ts'
import { type ClientTerms, createClientTerms } from './clientTerms.ts'
import { createEvidence } from './evidence.ts'
import { createGroups, type Groups } from './groups.ts'
import { createIssuing, type Issuing } from './issuing.ts'
import { type Reading, readGauges } from './metrics.ts'
import { createPrices, type Prices } from './prices.ts'
import { createReferral, type Referral } from './referral.ts'
import { createReplay } from './replay.ts'
import { type ChangeStakeTerms, createStakeTerms } from './stakeTerms.ts'
import { createStatus, type Findings, type Status, type StatusDeps } from './status.ts'
import { createSwitches, type SwitchDeps, type Switches } from './switches.ts'
import { createTrial } from './trial.ts'

/** The auditor's functions for operators; it is on the same floor, so `app` passes them in. */
export type Auditor = Findings & {
  check(): Promise<{ invariant: string } | undefined>
  lastProofs(): Promise<{ invariant: string; provenAt: Date | null; failures: bigint }[]>
  findings(
    limit: number,
  ): Promise<{ id: string; invariant: string; promise: string; example: unknown; foundAt: Date }[]>
}

/** The rooms that operators use. */
export type OperatorRooms = SwitchDeps &
  Omit<StatusDeps, 'db' | 'clock' | 'adjustments' | 'audit'> & {
    accounts: Accounts
    addresses: Addresses
    audit: Auditor
    books: Books
    clients: Clients
    events: Pick<Events, 'ofSubjects'>
    invoices: Invoices
    ledger: Ledger
    notes: Notes
    /** What is told to clients about the service. */
    publicStatus: PublicStatus
    stakeCosts: StakeCosts
    statements: Statements
    terms: Terms
    webhooks: Pick<Webhooks, 'deliveries'>
  }

export type Operator = {
  actions: Actions
  announcing: Announcing
  blocking: Blocking
  clientTerms: ClientTerms
  groups: Groups
  issuing: Issuing
  adjustments: Adjustments
  prices: Prices
  referral: Referral
  /** What a rule of followed prices would have done last week. */
  replay: ReturnType<typeof createReplay>
  /** The result of an experiment with followed prices. */
  trial: ReturnType<typeof createTrial>
  status(): Promise<Status>
  /** What is wrong now, for the public status. */
  evidence(): Promise<Evidence>
  switches: Switches
  stakeTerms: ChangeStakeTerms
  /** The same as numbers, for alerts. */
  gauges(): Promise<Reading[]>
}

export function createOperator(
  rooms: OperatorRooms & {
    db: Db
    runtime: Runtime
    adjustmentLimit: Sun
    /** How long no server of the API has reported; that room is on this floor, so `app` passes it in. */
    apiSilentMs(): Promise<bigint | null>
  },
): Operator {
  const { db, runtime, accounts, ledger, adjustmentLimit: limit } = rooms
  const { clock } = runtime
  const adjustments = createAdjustments({ db, runtime, accounts, ledger, limit })
  const actions = createActions({ db, runtime })
  const status = createStatus({ ...rooms, clock, adjustments })
  const switches = createSwitches(rooms)
  return {
    actions,
    announcing: createAnnouncing({ ...rooms, actions }),
    blocking: createBlocking({ ...rooms, actions }),
    clientTerms: createClientTerms({ ...rooms, actions }),
    groups: createGroups({ ...rooms, actions }),
    issuing: createIssuing({ ...rooms, actions }),
    adjustments,
    referral: createReferral({ ...rooms, actions }),
    prices: createPrices({ ...rooms, clock }),
    replay: createReplay({ ...rooms, clock }),
    trial: createTrial({ ...rooms, clock }),
    status,
    evidence: createEvidence({ ...rooms, clock, adjustments, switches }),
    switches,
    stakeTerms: createStakeTerms({ ...rooms, actions }),
    gauges: () => readGauges({ ...rooms, clock, status, switches }),
  }
}
