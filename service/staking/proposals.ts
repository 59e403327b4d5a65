import { createApart } from '../db/index.ts'
import type { Log, Sun } from '../kernel/index.ts'
import { groundOf, type Operations, type StakingDeps } from './operations.ts'
import { type Act, type Action, planOf } from './plan.ts'
import { type ReadStake, readStake } from './stake.ts'
import { lastOperations, type OperationRow } from './store.ts'
import { divided, totalOf, type Vote } from './votes.ts'

/** In the place of an operator's name. */
export const BY_ITSELF = 'ergon'

/** A vote or a claim that was refused is not asked for again at once: the signer counts them. */
const REST_MS = 3_600_000
const REST_AFTER_TROUBLE_MS = 6 * 3_600_000

type Deps = StakingDeps & {
  log: Log
  operations: Operations
  /** Rewards of at least so much are claimed when they can be; absent: never. */
  claimMin: Sun | undefined
}

/** Asks by itself for what is due: withdrawals wait for approvals, claims and standing votes need none. */
export function createProposals(deps: Deps) {
  const { db, runtime, chain, signing, operations, claimMin, log } = deps
  const apart = createApart(
    { db, clock: runtime.clock, log },
    { loop: 'staking.propose', kind: 'stake' },
  )

  async function ask(
    read: ReadStake,
    act: Act,
    of: { reason: string; coversUntil?: Date },
  ): Promise<boolean> {
    const { reason, coversUntil = null } = of
    const ground = await groundOf(deps, read.owner)
    if (!ground || 'refused' in planOf(act, ground)) return false
    const what = { act, stake: read.stake.address, shares: [], coversUntil }
    const said = { reason, by: BY_ITSELF }
    return (await db.transaction((tx) => operations.insert(tx, what, said))) !== undefined
  }

  /** Proposed once for each unfreezing: what an operator has cancelled stays cancelled. */
  async function withdrawal(read: ReadStake, last: OperationRow | undefined): Promise<boolean> {
    const now = runtime.clock.now()
    const due = read.unlocks.filter(({ at }) => at <= now)
    if (due.length === 0) return obsolete(last)
    const until = Math.max(...due.map(({ at }) => at.getTime()))
    if (last && (isOpen(last) || (last.coversUntil?.getTime() ?? 0) >= until)) return false
    const reason = 'An unfreezing has passed its wait.'
    return ask(read, plain('withdraw'), { reason, coversUntil: new Date(until) })
  }

  /** Another transaction has withdrawn it meanwhile. */
  async function obsolete(last: OperationRow | undefined): Promise<boolean> {
    if (last?.requestedBy !== BY_ITSELF || last.state !== 'requested') return false
    return 'id' in (await operations.cancel(last.id, BY_ITSELF))
  }

  async function claim(read: ReadStake, last: OperationRow | undefined): Promise<boolean> {
    if (claimMin === undefined || read.stake.reward < claimMin || !isRested(last)) return false
    return ask(read, plain('claim'), { reason: 'Rewards are due.' })
  }

  /** All votes by the standing shares, once the stake has grown. Less stake takes votes back by itself. */
  async function vote(
    read: ReadStake,
    last: OperationRow | undefined,
    shares: readonly Vote[],
  ): Promise<boolean> {
    if (shares.length === 0 || !isRested(last)) return false
    const votes = divided(read.stake.power, shares)
    // The chain rounds each witness's votes down when it takes some back.
    if (totalOf(votes) <= read.stake.voting + BigInt(shares.length)) return false
    const act: Act = { ...plain('vote'), votes }
    return ask(read, act, { reason: 'The stake has more votes than it has given.' })
  }

  function isRested(last: OperationRow | undefined): boolean {
    if (!last) return true
    if (isOpen(last)) return false
    const restMs = last.state === 'done' ? REST_MS : REST_AFTER_TROUBLE_MS
    // An operator's own is no reason to wait.
    if (last.requestedBy !== BY_ITSELF) return true
    return runtime.clock.now().getTime() - last.requestedAt.getTime() > restMs
  }

  async function proposeFor(read: ReadStake, shares: readonly Vote[]): Promise<number> {
    const rows = await db.query(lastOperations, [read.stake.address])
    const last = (action: Action) => rows.find((row) => row.action === action)
    const asked = [
      await withdrawal(read, last('withdraw')),
      await claim(read, last('claim')),
      await vote(read, last('vote'), shares),
    ]
    return asked.filter(Boolean).length
  }

  return async (): Promise<number> => {
    await chain.lag.look()
    // In a restored database the chain may have what this one lacks.
    if (chain.lag.behind()) return 0
    const owners = await signing.addresses('stake')
    const standing = owners.length > 0 ? await operations.standing() : []
    const asked = await apart.each(
      owners,
      (owner) => owner,
      async (owner) => {
        const read = await readStake(chain, owner, runtime.clock.now())
        const own = standing.find(({ stake }) => stake === read?.stake.address)
        return read ? proposeFor(read, own?.shares ?? []) : 0
      },
    )
    return asked.reduce((sum, count) => sum + count, 0)
  }
}

const plain = (action: Action): Act => ({ action, amount: null, resource: null, votes: [] })

const isOpen = ({ state }: OperationRow) =>
  ['requested', 'approved', 'expired', 'cancelling'].includes(state)
