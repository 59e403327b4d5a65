import { toHex } from '@ergon/tron'
import type { Chain } from '../../chain/index.ts'
import type { Db, Tx } from '../../db/index.ts'
import type { Log } from '../../kernel/index.ts'
import type { Providers } from '../../providers/index.ts'
import type { Signing } from '../../signing/index.ts'
import { type Measured, topUp, trim } from './level.ts'
import { lockedStanding } from './locked.ts'
import {
  heldStake,
  insertMove,
  recordMeasure,
  recordUse,
  type StandingRow,
  suspectUse,
} from './store.ts'
import { judgeUse, STRAYED_MAX, type Use } from './stray.ts'

/** What a look at the node found, before anything was locked. */
export type Look = {
  wanted: bigint
  /** Undefined when everything is to go, or when the account is not on the chain. */
  measured: Measured | undefined
  totals: { energyLimit: bigint; energyWeight: bigint } | undefined
  /** Block time of the look. */
  at: Date
}

/** Long: a reclaim that expires is only built again. */
const RECLAIM_LIFE_MS = 120_000
const SUN_PER_TRX = 1_000_000n

/**
 * Brings an address to its level, by one move at a time and by what was measured: a second worker, or
 * a second look, finds the move under way and does nothing.
 */
export function createAdjusting(deps: {
  db: Db
  log: Log
  chain: Chain
  signing: Signing
  providers: Providers
}) {
  const { db, log, chain, signing, providers } = deps

  async function delegate(tx: Tx, address: string, energy: bigint): Promise<boolean> {
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
  ): Promise<void> {
    const value = {
      owner_address: owner,
      receiver_address: toHex(address),
      resource: 'ENERGY' as const,
      balance: stake,
    }
    const contract = { type: 'UnDelegateResourceContract' as const, value }
    const ground = await chain.ground()
    const want = { purpose: 'reclaim' as const, contract, ground, lifeMs: RECLAIM_LIFE_MS }
    const { id, txid, expiresAt } = await signing.ask(tx, want)
    await tx.query(insertMove, [txid, address, 'reclaim', owner, stake, id, expiresAt, empties])
  }

  async function reclaimAll(tx: Tx, address: string, at: Date): Promise<number> {
    const held = await tx.query(heldStake, [address])
    for (const row of held) await reclaim(tx, address, { ...row, empties: true })
    await tx.query(recordMeasure, [address, null, at, false])
    return held.length
  }

  /** Takes back from the stake that has most there; the rest waits for the next look. */
  async function trimTo(tx: Tx, address: string, look: Look): Promise<number> {
    const energy = trim(look.wanted, look.measured!)
    if (energy === 0n) return 0
    const held = await tx.query(heldStake, [address])
    const [most] = held.toSorted((a, b) => Number(b.stake - a.stake))
    if (!most) return 0
    const { energyLimit, energyWeight } = look.totals!
    const worth = (energy * energyWeight * SUN_PER_TRX) / energyLimit
    const stake = worth < most.stake ? worth : most.stake
    if (stake < SUN_PER_TRX) return 0
    await reclaim(tx, address, { owner: most.owner, stake, empties: false })
    return 1
  }

  /** What it has used, compared with what it called for. */
  async function accountFor(tx: Tx, row: StandingRow, now: Use) {
    const { address } = row
    const { stray, unseen, is } = judgeUse(row, now)
    if (is === 'suspect') await tx.query(suspectUse, [address, now.used, now.at])
    if (is === 'judged') await tx.query(recordUse, [address, now.used, now.at, stray, unseen])
    if (stray > 0n) log.warn('standing_energy_astray', { address, energy: String(stray) })
    return { isOpen: is !== 'judged', isAstray: row.strayed + stray > STRAYED_MAX }
  }

  async function keep(tx: Tx, row: StandingRow, look: Look): Promise<number> {
    const { address } = row
    const { wanted, measured, at } = look
    if (!measured) {
      await tx.query(recordMeasure, [address, 0n, at, true])
      return 0
    }
    const { isOpen, isAstray } = await accountFor(tx, row, { used: measured.used, at })
    const missing = topUp(wanted, measured)
    // Nothing is filled up for others; whoever wants the Energy there is about to hear of it.
    const made = missing > 0n && !isAstray && (await delegate(tx, address, missing))
    const trimmed = missing > 0n ? 0 : await trimTo(tx, address, look)
    // Looked at again while something is missing: after the block that brings it, or after a pause.
    const available = measured.limit - measured.used
    await tx.query(recordMeasure, [address, available, at, missing > 0n || isOpen])
    return made ? 1 : trimmed
  }

  return {
    /** Returns how many moves it asked for. */
    adjust: (address: string, look: Look): Promise<number> =>
      db.transaction(async (tx) => {
        const row = await lockedStanding(tx, address)
        // Somebody changed what is wanted, or acted, after the node was asked: the next look decides.
        if (!row?.claimed || row.underWay || row.wanted !== look.wanted) return 0
        return look.wanted === 0n ? reclaimAll(tx, address, look.at) : keep(tx, row, look)
      }),
  }
}
