import { toBase58 } from '@ergon/tron'
import type { Addresses } from '../addresses/index.ts'
import type { Chain, Departure } from '../chain/index.ts'
import type { Db, Tx } from '../db/index.ts'
import type { Delivery } from '../delivery/index.ts'
import type { Deposits } from '../deposits/index.ts'
import { createLoop, type Log, type Loop, type Runtime } from '../kernel/index.ts'
import type { Ledger } from '../ledger/index.ts'
import type { Providers } from '../providers/index.ts'
import type { Signing } from '../signing/index.ts'
import { createArriving } from './arriving.ts'
import { createAsking } from './asking.ts'
import { createDeciding, type Decision } from './deciding.ts'
import { TRANSFERS_TO_FOLLOW, TRANSFERS_TO_PLAN } from './due.sql.ts'
import { createFollowing } from './following.ts'
import { createReading } from './reading.ts'
import { createRecovering } from './recovering.ts'
import { createSettings, type Refused, type Said, type Settings } from './settings.ts'
import { countMissing, knownTransfers, paidIn, type TransferRow } from './store.ts'
import { createSurplus } from './surplus.ts'
import { createTopUps } from './topUp.ts'
import { createView, type View } from './view.ts'

export type Treasury = {
  settings: Settings
  view: View
  /** What a person says of a missing top-up. */
  decide(id: string, decision: Decision, said: Said): Promise<TransferRow | Refused>
  /** Top-ups that a person has to decide. */
  missing(): Promise<{ count: bigint; oldest: Date | null }>
  /** Those of the transactions that are transfers of this room, by txid, receiver and amount. */
  knownOf(tx: Tx, departures: readonly Departure[]): Promise<string[]>
  /** What a marketplace was ever sent, for the comparison with what it says. */
  toppedUp(tx: Tx, provider: string): Promise<{ arrived: bigint; pending: bigint }>
  recovering: ReturnType<typeof createRecovering>
  loops: Loop[]
}

type Deps = {
  db: Db
  runtime: Runtime
  log: Log
  addresses: Addresses
  chain: () => Chain
  delivery: Delivery
  deposits: Deposits
  ledger: Ledger
  providers: Providers
  signing: Signing
}

const FOLLOW_MS = 1_000
const PLAN_MS = 15_000

export function createTreasury(deps: Deps): Treasury {
  const { db, log } = deps
  const settings = createSettings(deps)
  const reading = createReading(deps)
  const asking = createAsking(deps)
  const parts = { ...deps, settings, reading, asking }
  const follow = createFollowing(deps)
  const arriving = createArriving(deps)
  const sendSurplus = createSurplus(parts)
  const topUpAll = createTopUps(parts)
  const loops = [
    createLoop({
      name: 'treasury.follow',
      everyMs: FOLLOW_MS,
      due: TRANSFERS_TO_FOLLOW,
      log,
      work: follow,
    }),
    createLoop({
      name: 'treasury.plan',
      everyMs: PLAN_MS,
      due: TRANSFERS_TO_PLAN,
      // What is asked for now makes the readings old: the next round takes new ones.
      afterWorkMs: PLAN_MS,
      log,
      // Top-ups first: without a float Energy is not sold, and the cold address can wait.
      work: async () => (await arriving()) + (await topUpAll()) + Number(await sendSurplus()),
    }),
  ]
  return {
    settings,
    view: createView({ ...parts, nameOf: asking.nameOf }),
    decide: createDeciding(deps),
    missing: async () => (await db.query(countMissing))[0]!,
    async knownOf(tx, departures) {
      const rows = await tx.query(knownTransfers, [
        departures.map(({ txid }) => txid),
        departures.map(({ to }) => to && toBase58(to)),
        departures.map(({ amount }) => amount),
      ])
      return rows.map(({ txid }) => txid)
    },
    toppedUp: async (tx, provider) => (await tx.query(paidIn, [provider]))[0]!,
    recovering: createRecovering(parts),
    loops,
  }
}
