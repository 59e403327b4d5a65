import type { Addresses } from '../addresses/index.ts'
import type { Chain, OnBlock, OnOrphan } from '../chain/index.ts'
import type { Db, Tx } from '../db/index.ts'
import { createLoop, type Log, type Loop, type Runtime, type Sun, sun } from '../kernel/index.ts'
import type { Ledger } from '../ledger/index.ts'
import type { Signing } from '../signing/index.ts'
import { createCrediting, type OnDeposits } from './credit.ts'
import {
  confirmedTotal,
  findByTransaction,
  listDeposits,
  readTreasury,
  setSwitch,
  type TreasuryRow,
  waitingRevenue,
} from './deposits.sql.ts'
import { MONEY_TO_FINISH } from './due.sql.ts'
import { createFinishing } from './finish.ts'
import { createFlows, type Flows } from './flows.ts'
import { createLooking } from './look.ts'
import { createOutflowWatch, type KnownTo, type TreasuryTransfers } from './outflow.ts'
import { createPaying } from './payouts/paying.ts'
import { createPayouts, type Payouts } from './payouts/payouts.ts'
import { createReconciling, type Reconciling } from './reconcile.ts'
import {
  createRecovering,
  type Recovering,
  type RecoverMoves,
  type RecoverStakes,
  type RecoverTransfers,
} from './recover/recover.ts'
import { type DepositRow, readSwitch, serviceCredit } from './store.ts'
import { createSweeping } from './sweep.ts'
import type { CreditLimits } from './unverified.ts'

export type Deposits = Flows & {
  onBlock: OnBlock
  onOrphan: OnOrphan
  /** Newest first, with one row more than `limit` if there are more. */
  list(account: string, limit: number, offset: number): Promise<DepositRow[]>
  /** Deposits of one transaction, of any account: for operators. */
  ofTransaction(txid: string): Promise<{ account: string; status: string }[]>
  /** Sum of the account's credited deposits that were not reverted. */
  confirmedTotal(account: string): Promise<Sun>
  /** Revenue of one payment that is in a block and is credited when that block is final; else 0. */
  waitingRevenue(tx: Tx, of: { txid: string; position: bigint }): Promise<bigint>
  payouts: Payouts
  reconciling(): Reconciling
  recovering(): Recovering
  /** Requests every sweep that is due and returns their number. */
  sweep(): Promise<number>
  /** The kill switch of sweeps: read before each batch, by every worker. */
  setSweeping(enabled: boolean, reason: string): Promise<void>
  sweepingSwitch(): Promise<{ enabled: boolean; reason: string }>
  /** Balances by place, and open transfers. */
  treasury(): Promise<TreasuryRow>
  /** Unverified credit that counts towards the service's limit, and that limit. */
  unverified(): Promise<{ lent: Sun; most: Sun }>
  /** Wakes the loops that wait for blocks. */
  wake(): void
  loops: Loop[]
}

type Deps = {
  db: Db
  runtime: Runtime
  log: Log
  addresses: Addresses
  ledger: Ledger
  signing: Signing
  /** Limits of unverified credit. */
  limits: CreditLimits
  /** An operator's limit for one account instead of `limits.account`. */
  ownLimitOf?(account: string): bigint | undefined
  /** The least amount swept to the hot wallet; undefined disables sweeps. */
  sweepMin: Sun | undefined
  onDeposits: readonly OnDeposits[]
  /** Other rooms that request signatures with our keys. */
  knownTo: readonly KnownTo[]
  /** The room that moves stakes books what recovery finds of them. */
  recoverMoves: RecoverMoves
  recoverStakes: RecoverStakes
  /** The room of the treasury's transfers: which it knows, and books what recovery finds of them. */
  treasuryTransfers: TreasuryTransfers
  recoverTransfers: RecoverTransfers
  /** Prepaid at providers, in SUN. */
  floats(): Promise<bigint>
  /** Late bound: the chain's scanner is built with this room's participants. */
  chain: () => Chain
}

const RECONCILE_MS = 600_000
const LOOK_MS = 60_000

export function createDeposits(deps: Deps): Deposits {
  const { db } = deps
  const crediting = createCrediting(deps)
  const outflows = createOutflowWatch(deps)
  // Built at first use, because the chain is created later.
  let made: ReturnType<typeof createTreasury> | undefined
  const treasury = () => {
    made ??= createTreasury(deps)
    return made
  }
  const loops = loopsOf(deps, treasury)
  return {
    async onBlock(tx, block) {
      await outflows.onBlock(tx, block)
      await crediting.onBlock(tx, block)
    },
    async onOrphan(tx, block) {
      await outflows.onOrphan(tx, block)
      await crediting.onOrphan(tx, block)
    },
    list: (account, limit, offset) => db.query(listDeposits, [account, limit, offset]),
    ofTransaction: (txid) => db.query(findByTransaction, [txid]),
    confirmedTotal: async (account) => sun((await db.query(confirmedTotal, [account]))[0]!.total),
    async waitingRevenue(tx, { txid, position }) {
      const [row] = await tx.query(waitingRevenue, [txid, position])
      return row?.amount ?? 0n
    },
    payouts: createPayouts(deps),
    reconciling: () => treasury().reconciling,
    recovering: () => createRecovering({ ...deps, chain: deps.chain(), read: treasury().read }),
    sweep: () => treasury().sweeping.askForDue(),
    sweepingSwitch: async () => (await db.query(readSwitch))[0]!,
    async treasury() {
      const anHourAgo = new Date(deps.runtime.clock.now().getTime() - 3_600_000)
      return (await db.query(readTreasury, [anHourAgo]))[0]!
    },
    async unverified() {
      const [lent] = await db.query(serviceCredit, [deps.limits.uncounted])
      return { lent: sun(lent!.service), most: deps.limits.service }
    },
    async setSweeping(enabled, reason) {
      await db.query(setSwitch, [enabled, reason])
    },
    ...createFlows(db),
    wake: () => loops.finish.wake(),
    loops: Object.values(loops),
  }
}

function createTreasury(deps: Deps) {
  const chain = deps.chain()
  const { node } = chain
  const looking = createLooking({ ...deps, node, chain })
  const reconciling = createReconciling({ ...deps, node, chain, looking })
  const { hold } = reconciling
  const { read } = looking
  return {
    finishing: createFinishing({ ...deps, chain }),
    sweeping: createSweeping({ ...deps, chain, hold, read }),
    paying: createPaying({ ...deps, chain }),
    reconciling,
    read,
  }
}

function loopsOf({ log }: Deps, treasury: () => ReturnType<typeof createTreasury>) {
  const sweep = createLoop({
    name: 'deposits.sweep',
    // Woken by each deposit that becomes final; by itself it only tries again.
    everyMs: 15_000,
    log,
    work: () => treasury().sweeping.askForDue(),
  })
  const finish = createLoop({
    name: 'deposits.finish',
    everyMs: 1_000,
    due: MONEY_TO_FINISH,
    log,
    async work() {
      const { finishing, sweeping, paying } = treasury()
      const finished = await finishing.finish()
      if (finished > 0) sweep.wake()
      return finished + (await sweeping.conclude()) + (await paying.pay())
    },
  })
  const reconcile = createLoop({
    name: 'deposits.reconcile',
    everyMs: RECONCILE_MS,
    log,
    async work() {
      const shortage = await treasury().reconciling.shortage()
      if (shortage) log.error('reconciliation_short', { reason: shortage })
      return 0
    },
  })
  const look = createLoop({
    name: 'deposits.look',
    everyMs: LOOK_MS,
    log,
    work: () =>
      treasury()
        .reconciling.look()
        .then(() => 0),
  })
  return { finish, sweep, look, reconcile }
}
