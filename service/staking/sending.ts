import { type Contract, type HexAddress, type TransactionInfo, toHex } from '@ergon/tron'
import type { Ground } from '../chain/index.ts'
import { createApart, type Tx } from '../db/index.ts'
import { createOutgoing, type Fate } from '../deposits/index.ts'
import { type Log, sun } from '../kernel/index.ts'
import type { Ledger, Move } from '../ledger/index.ts'
import { isStakeAction } from '../signing/index.ts'
import { groundOf, type StakingDeps } from './operations.ts'
import { type Act, type Action, planOf } from './plan.ts'
import {
  cancellingOperations,
  type DueOperation,
  dropBytes,
  dueOperations,
  endCancelling,
  endMined,
  endRefused,
  expireBytes,
  lockDue,
  lockOpen,
  type OpenOperation,
  openOperations,
  postpone,
  setBytes,
} from './sending.sql.ts'
import { type Vote, votesOfText } from './votes.ts'

const BATCH = 20
const LIFE_MS = 120_000
/** After a signature, and as long after bytes that were in no block. */
const AGAIN_AFTER_MS = 3_600_000
/** The chain would not take it now: stake is delegated, or TRX are missing. */
const LOOK_AGAIN_MS = 60_000
/** Of a vote or a claim, for which nobody is asked again. */
const ATTEMPTS_MAX = 3n

export type SendingDeps = StakingDeps & { log: Log; ledger: Ledger }

/** Sends what is approved, follows it to its solid block, and books what the receipt says. */
export function createSending(deps: SendingDeps) {
  const { db, runtime, log, chain, signing } = deps
  const outgoing = createOutgoing(deps)
  const of = { loop: 'staking.send', kind: 'operation' }
  const apart = createApart({ db, clock: runtime.clock, log }, of)
  const later = (ms: number) => new Date(runtime.clock.now().getTime() + ms)

  async function askForDue(): Promise<number> {
    const due = await db.query(dueOperations, [runtime.clock.now(), BATCH, apart.waiting()])
    const ground = due.length > 0 ? await chain.ground(LIFE_MS) : undefined
    if (!ground) return 0
    const asked = await apart.each(
      due,
      ({ id }) => id,
      async (one) => {
        const objection = await objectionTo(one)
        return db.transaction((tx) => askFor(tx, one, { ground, objection }))
      },
    )
    const count = asked.filter(Boolean).length
    if (count > 0) signing.wake()
    return count
  }

  /** The chain would refuse the bytes, which would then only expire. */
  async function objectionTo(one: DueOperation): Promise<string | undefined> {
    const ground = await groundOf(deps, toHex(one.stake))
    if (!ground) return 'This stake is not on the chain.'
    const plan = planOf(actOf(one), ground)
    return 'refused' in plan ? plan.refused : undefined
  }

  async function askFor(
    tx: Tx,
    one: DueOperation,
    { ground, objection }: { ground: Ground; objection: string | undefined },
  ): Promise<boolean> {
    const [row] = await tx.query(lockDue, [runtime.clock.now(), one.id])
    if (!row || row.attempt !== one.attempt) return false
    if (objection && isStakeAction(one.action)) {
      await tx.query(postpone, [one.id, objection, later(LOOK_AGAIN_MS)])
      return false
    }
    if (objection) {
      await tx.query(endRefused, [one.id, 'refused', objection, runtime.clock.now()])
      return false
    }
    const asked = await signing.ask(tx, {
      purpose: one.action,
      contract: contractOf(toHex(one.stake), actOf(one)),
      ground,
      lifeMs: LIFE_MS,
      payout: { id: one.id, attempt: Number(one.attempt) },
    })
    await tx.query(setBytes, [one.id, asked.txid, asked.id, later(AGAIN_AFTER_MS)])
    return true
  }

  async function conclude(): Promise<number> {
    const open = await db.query(openOperations, [BATCH, apart.waiting()])
    const fates = open.length > 0 ? await outgoing.fatesOf(open) : []
    const ended = await apart.each(
      fates,
      (one) => one.of.id,
      async (one) => {
        const fate = await one.fate()
        return fate.state !== 'waiting' && db.transaction((tx) => end(tx, one.of, fate))
      },
    )
    return ended.filter(Boolean).length
  }

  async function end(
    tx: Tx,
    { id, txid }: OpenOperation,
    fate: Exclude<Fate, { state: 'waiting' }>,
  ): Promise<boolean> {
    const [row] = await tx.query(lockOpen, [id, txid])
    if (!row) return false
    const { action, state, attempt } = row
    const now = runtime.clock.now()
    if (fate.state === 'solid') return bookMined(tx, deps, { id, action, receipt: fate.receipt })
    const said = fate.state === 'dead' && fate.answer ? `; the node said ${fate.answer}` : ''
    const reason = fate.state === 'refused' ? fate.reason : `its bytes expired${said}`
    log.warn('stake_operation_not_done', { txid, reason })
    const isFree = !isStakeAction(action) && state === 'approved'
    if (isFree && fate.state === 'refused') {
      await tx.query(endRefused, [id, 'refused', reason, now])
    } else if (isFree && attempt >= ATTEMPTS_MAX) {
      await tx.query(endRefused, [id, 'failed', reason, now])
    } else if (fate.state === 'refused') await tx.query(dropBytes, [id, reason])
    else await tx.query(expireBytes, [id, reason, isStakeAction(action), later(AGAIN_AFTER_MS)])
    return true
  }

  /** Ends when no transaction of it can be mined any more and the signer has recorded the cancellation. */
  async function endCancelled(): Promise<number> {
    const cancelling = await db.query(cancellingOperations, [BATCH, apart.waiting()])
    const recorded = await signing.payouts.cancelled(cancelling.map(({ id }) => id))
    const ended = await apart.each(
      cancelling.filter(({ id }) => recorded.has(id)),
      ({ id }) => id,
      ({ id }) => db.query(endCancelling, [id, runtime.clock.now()]),
    )
    return ended.length
  }

  return { send: async () => (await conclude()) + (await endCancelled()) + (await askForDue()) }
}

type Mined = { id: string; action: Action; receipt: TransactionInfo }

/**
 * Ends an operation by the receipt of its solid block. Freezing and unfreezing move TRX within one
 * account of the books; a reward and a fee are what the books did not have. False: it had ended.
 */
export async function bookMined(
  tx: Tx,
  { runtime, ledger }: Pick<SendingDeps, 'runtime' | 'ledger'>,
  { id, action, receipt }: Mined,
): Promise<boolean> {
  const [row] = await tx.query(endMined, [id, ...endOf(action, receipt), runtime.clock.now()])
  if (!row) return false
  await ledger.transfer(tx, movesOf(action, receipt))
  return true
}

/** State, txid, block, what moved, fee and trouble. */
export function endOf(action: Action, receipt: TransactionInfo) {
  const { id: txid, blockNumber, failed, message, fee } = receipt
  return failed
    ? ['failed', txid, blockNumber, null, fee, `it failed on the chain: ${message}`]
    : ['done', txid, blockNumber, movedBy(action, receipt), fee, null]
}

function movedBy(action: Action, receipt: TransactionInfo): bigint | null {
  const { withdrawn, unfrozen, cancelled } = receipt
  if (action === 'claim') return withdrawn
  if (action === 'withdraw') return unfrozen
  return action === 'cancel_unfreeze' ? cancelled.ENERGY + cancelled.BANDWIDTH : null
}

/** A reward and a fee, the latter in the books' own words. */
export function movesOf(
  action: Action,
  { id: reference, fee, failed, withdrawn }: TransactionInfo,
): Move[] {
  const moves: Move[] = []
  if (fee > 0n) {
    const description = `Network fee of a stake's ${action.replace('_', ' ')}`
    const sides = { from: 'cost:network', to: 'asset:staked' } as const
    moves.push({ kind: 'network_fee', reference, ...sides, amount: sun(fee), description })
  }
  if (action === 'claim' && !failed && withdrawn > 0n) {
    const description = 'Rewards of votes'
    const sides = { from: 'asset:staked', to: 'income:rewards' } as const
    moves.push({ kind: 'reward', reference, ...sides, amount: sun(withdrawn), description })
  }
  return moves
}

function actOf({ action, amount, resource, votes }: DueOperation): Act {
  return { action, amount, resource, votes: votesOfText(votes) }
}

const hexVotes = (votes: readonly Vote[]) =>
  votes.map(({ witness, count }) => ({ vote_address: toHex(witness), vote_count: count }))

function contractOf(owner_address: HexAddress, act: Act): Contract {
  const { action, amount, resource, votes } = act
  switch (action) {
    case 'freeze': {
      const value = { owner_address, frozen_balance: amount!, resource: resource! }
      return { type: 'FreezeBalanceV2Contract', value }
    }
    case 'unfreeze': {
      const value = { owner_address, unfreeze_balance: amount!, resource: resource! }
      return { type: 'UnfreezeBalanceV2Contract', value }
    }
    case 'withdraw':
      return { type: 'WithdrawExpireUnfreezeContract', value: { owner_address } }
    case 'cancel_unfreeze':
      return { type: 'CancelAllUnfreezeV2Contract', value: { owner_address } }
    case 'vote':
      return { type: 'VoteWitnessContract', value: { owner_address, votes: hexVotes(votes) } }
    case 'claim':
      return { type: 'WithdrawBalanceContract', value: { owner_address } }
  }
}
