import type { Tx } from '../db/index.ts'
import { createLoop, type Log, type Loop, type Sun } from '../kernel/index.ts'
import type { Ledger } from '../ledger/index.ts'
import type { ToBookRow } from '../signing/index.ts'
import { OPERATIONS_UNDER_WAY } from './due.sql.ts'
import { createOperations, type Operations, type StakingDeps } from './operations.ts'
import { createProposals } from './proposals.ts'
import { createStakeRecovery } from './recover.ts'
import { createSending } from './sending.ts'
import { type ReadStake, readStake } from './stake.ts'
import { knownOperations, readPulse } from './store.ts'

/** What waits for operators, and what has been under way for too long. */
export type StakingPulse = {
  waiting: bigint
  waitingSince: Date | null
  stuck: bigint
  stuckSince: Date | null
}

export type Staking = Omit<Operations, 'insert'> & {
  /** Our stakes that are on the chain. */
  stakes(): Promise<ReadStake[]>
  pulse(): Promise<StakingPulse>
  /** Returns those of the transactions that an operation has. */
  knownOf(tx: Tx, txids: string[]): Promise<string[]>
  /** Books what recovery finds of our stakes. */
  recover(found: readonly ToBookRow[]): Promise<Map<string, string>>
  wake(): void
  /** Looks at once for what is due. */
  propose(): void
  loops: Loop[]
}

type Deps = StakingDeps & {
  log: Log
  ledger: Ledger
  claimMin: Sun | undefined
  /** There may be more to sell, or less. */
  onDone(): void
}

/** Five times as long as bytes live, and the hour between two attempts. */
const STUCK_MS = 70 * 60_000
const PROPOSE_MS = 60_000

export function createStaking(deps: Deps): Staking {
  const { db, runtime, chain, signing } = deps
  const { insert, ...operations } = createOperations(deps)
  const loops = loopsOf(deps, { ...operations, insert })

  return {
    ...operations,
    async stakes() {
      const now = runtime.clock.now()
      const owners = await signing.addresses('stake')
      const read = await Promise.all(owners.map((owner) => readStake(chain, owner, now)))
      return read.flatMap((one) => one ?? [])
    },
    async pulse() {
      const since = new Date(runtime.clock.now().getTime() - STUCK_MS)
      return (await db.query(readPulse, [since]))[0]!
    },
    async knownOf(tx, txids) {
      if (txids.length === 0) return []
      return (await tx.query(knownOperations, [txids])).map(({ txid }) => txid)
    },
    recover: createStakeRecovery(deps),
    wake: () => loops.send.wake(),
    propose: () => loops.propose.wake(),
    loops: Object.values(loops),
  }
}

function loopsOf(deps: Deps, operations: Operations) {
  const { log } = deps
  const sending = createSending(deps)
  const propose = createLoop({
    name: 'staking.propose',
    everyMs: PROPOSE_MS,
    log,
    work: createProposals({ ...deps, operations }),
  })
  const send = createLoop({
    name: 'staking.send',
    everyMs: 1_000,
    due: OPERATIONS_UNDER_WAY,
    log,
    async work() {
      const done = await sending.send()
      // What is done may be the reason for a vote.
      if (done > 0) {
        propose.wake()
        deps.onDone()
      }
      return done
    },
  })
  return { send, propose }
}
