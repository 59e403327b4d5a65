import { toHex } from '@ergon/tron'
import type { Chain, Ground } from '../../chain/index.ts'
import type { Db, Tx } from '../../db/index.ts'
import type { Log } from '../../kernel/index.ts'
import type { Providers } from '../../providers/index.ts'
import type { Signing } from '../../signing/index.ts'
import {
  addStray,
  closeUse,
  heldStake,
  insertMove,
  recordMeasure,
  recordUse,
} from './adjust.sql.ts'
import { decideMove, type Look } from './decide.ts'
import { lockedStanding } from './locked.ts'
import type { StandingRow } from './store.ts'
import type { Account } from './stray.ts'

/** Standing Energy of an address that others used, as of this block time. */
export type Stray = { address: string; energy: bigint; at: Date }
/** Runs in the transaction that records others' use. */
export type OnStray = (tx: Tx, stray: Stray) => Promise<void>

/** Long: an expired reclaim is built again. */
export const RECLAIM_LIFE_MS = 120_000
const SUN_PER_TRX = 1_000_000n

/**
 * Brings an address to its level by measurement, one move at a time: a second worker or a second
 * reading finds the open move and does nothing.
 */
export function createAdjusting(deps: {
  db: Db
  log: Log
  chain: Chain
  signing: Signing
  providers: Providers
  onStray: OnStray
  isSelling(tx: Tx): Promise<boolean>
}) {
  const { db, log, chain, signing, providers } = deps

  async function delegate(tx: Tx, address: string, energy: bigint): Promise<boolean> {
    // A top-up is a sale, so it stops while selling is stopped.
    if (chain.lag.behind() || !(await deps.isSelling(tx))) return false
    const wanted = { receiver: toHex(address), energy }
    const [prepared] = await providers.prepare(tx, 'own_stake', [wanted])
    if (prepared!.state !== 'prepared') {
      log.warn('standing_not_topped_up', { reason: prepared!.reason })
      return false
    }
    for (const { txid, owner, stake, signingRequest, expiresAt } of prepared!.pieces) {
      const made = [txid, address, 'delegate', owner, stake, signingRequest, expiresAt, false]
      await tx.query(insertMove, made)
    }
    return true
  }

  async function reclaim(
    tx: Tx,
    address: string,
    { owner, stake, empties }: { owner: string; stake: bigint; empties: boolean },
    ground: Ground,
  ): Promise<void> {
    const value = {
      owner_address: owner,
      receiver_address: toHex(address),
      resource: 'ENERGY' as const,
      balance: stake,
    }
    const contract = { type: 'UnDelegateResourceContract' as const, value }
    const want = { purpose: 'reclaim' as const, contract, ground, lifeMs: RECLAIM_LIFE_MS }
    const { id, txid, expiresAt } = await signing.ask(tx, want)
    await tx.query(insertMove, [txid, address, 'reclaim', owner, stake, id, expiresAt, empties])
  }

  async function reclaimAll(tx: Tx, address: string, ground: Ground): Promise<number> {
    const held = await tx.query(heldStake, [address])
    for (const row of held) await reclaim(tx, address, { ...row, empties: true }, ground)
    return held.length
  }

  /** Reclaims from the stake with the largest delegation; further reclaims follow in the next reading. */
  async function trimBy(
    tx: Tx,
    address: string,
    energy: bigint,
    { totals, ground }: Look & { ground: Ground },
  ): Promise<number> {
    const held = await tx.query(heldStake, [address])
    const [most] = held.toSorted((a, b) => Number(b.stake - a.stake))
    if (!most) return 0
    const { energyLimit, energyWeight } = totals!
    const worth = (energy * energyWeight * SUN_PER_TRX) / energyLimit
    const stake = worth < most.stake ? worth : most.stake
    if (stake < SUN_PER_TRX) return 0
    await reclaim(tx, address, { owner: most.owner, stake, empties: false }, ground)
    return 1
  }

  async function tell(tx: Tx, stray: Stray): Promise<void> {
    if (stray.energy <= 0n) return
    const { address, energy } = stray
    log.warn('standing_energy_astray', { address, energy: String(energy) })
    await tx.query(addStray, [address, energy])
    await deps.onStray(tx, stray)
  }

  async function apply(tx: Tx, row: StandingRow, look: Look & { ground: Ground }): Promise<number> {
    const { address } = row
    const { stray, use, move, available, again } = decideMove(row, look)
    await tx.query(recordUse, [address, ...columnsOf(use)])
    await tell(tx, { address, energy: stray, at: look.at })
    // Read again while Energy is missing: after the next block with a move, or after a pause.
    await tx.query(recordMeasure, [address, available, look.at, again])
    if (move.kind === 'reclaim') return reclaimAll(tx, address, look.ground)
    if (move.kind === 'trim') return trimBy(tx, address, move.energy, look)
    return move.kind === 'delegate' && (await delegate(tx, address, move.energy)) ? 1 : 0
  }

  return {
    /** Returns the number of moves it requested. */
    adjust: (address: string, look: Look & { ground: Ground }): Promise<number> =>
      db.transaction(async (tx) => {
        const row = await lockedStanding(tx, address)
        // The wanted level or the moves changed after the node was read: the next reading decides.
        if (!row?.claimed || row.underWay || row.wanted !== look.wanted) return 0
        return apply(tx, row, look)
      }),

    /** The Energy is reclaimed; `energy` is what others used after the last reading. */
    finish: ({ address, energy, at }: Stray): Promise<void> =>
      db.transaction(async (tx) => {
        const row = await lockedStanding(tx, address)
        const isBack = row && row.wanted === 0n && row.stake === 0n && !row.underWay
        if (!isBack) return
        // Another worker may have reported it.
        if (row.judgedBlock !== null) await tell(tx, { address, energy, at })
        await tx.query(closeUse, [address])
      }),
  }
}

function columnsOf(use: Account) {
  return [
    ...[use.used, use.usedAt, use.explained, use.explainedAt],
    ...[use.suspectUsed, use.suspectAt, use.suspectBlock],
    ...[use.beganBlock, use.judged, use.judgedBlock, use.judgedAt, use.paidFor],
  ]
}
