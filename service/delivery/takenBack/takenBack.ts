import { toHex } from '@ergon/tron'
import type { Chain } from '../../chain/index.ts'
import { createApart, type Db, type Tx } from '../../db/index.ts'
import type { Log, Runtime } from '../../kernel/index.ts'
import type { Providers } from '../../providers/index.ts'
import { takenFrom } from './shortfall.ts'
import {
  countTaken,
  decideReclaim,
  endTaken,
  type ForeignReclaim,
  insertTaken,
  lockReclaim,
  type NeededRow,
  openReclaims,
  readMoved,
  readNeeded,
} from './store.ts'

const BATCH = 50
/** A provider that takes Energy back so often within 24 hours is switched off. */
const TAKEN_MAX = 2n

/**
 * Between the last move and the block that we have read last: 45 seconds. A node whose head is older than half a minute
 * is not asked, so each node that answers has seen the move.
 */
const QUIET_BLOCKS = 15n

/** Energy of a delivered request that its seller took back before the hour was over. */
export type TakenBack = {
  request: string
  reclaimTxid: string
  provider: string
  /** Energy of all delegations for the request. */
  whole: bigint
  /** Energy and stake of this delegation, and how much of that stake is gone. */
  energy: bigint
  stake: bigint
  taken: bigint
  /** Whole seconds until its hour would have been over. */
  seconds: bigint
  at: Date
}

/** Runs in the transaction that decides a reclaim. It locks the ledger last. */
export type OnTakenBack = (tx: Tx, taken: readonly TakenBack[]) => Promise<void>

/**
 * Decides what undelegations of others took from completed orders, once their block is solid. The chain knows stake
 * between two addresses, not single delegations: what is there now, less what came since, is compared with what the
 * orders need. So Energy that the client bought at the same seller directly is never taken for ours.
 */
export function createTakenBack(deps: {
  db: Db
  runtime: Pick<Runtime, 'clock'>
  log: Log
  chain: Chain
  providers: Providers
  onTakenBack: readonly OnTakenBack[]
}) {
  const { db, runtime, log, chain, providers, onTakenBack } = deps
  const of = { loop: 'delivery.takenBack', kind: 'reclaim' }
  const apart = createApart({ db, clock: runtime.clock, log }, of)

  /** Stake that the owner lends the address, with the block of that state; undefined when we have not read that block. */
  async function lentNow(owner: string, receiver: string) {
    const read = await chain.progress()
    const before = await chain.node.getNowBlock()
    const lent = await chain.node.getDelegatedResourceV2(owner, toHex(receiver))
    const after = await chain.node.getNowBlock()
    if (before.id !== read?.id || after.id !== before.id) return undefined
    return { block: read.number, stake: lent.reduce((sum, one) => sum + one.balanceForEnergy, 0n) }
  }

  async function remainingAfter(reclaim: ForeignReclaim) {
    const { owner, receiver, block } = reclaim
    const now = await lentNow(owner, receiver)
    if (!now) return undefined
    const values = [owner, receiver, block, now.block, toHex(receiver)]
    const { moved, latest, standing } = (await db.query(readMoved, values))[0]!
    if ((latest ?? block) + QUIET_BLOCKS > BigInt(now.block)) return undefined
    return { remaining: now.stake - moved, standing }
  }

  async function write(
    tx: Tx,
    reclaim: ForeignReclaim,
    taken: ReturnType<typeof takenFrom<NeededRow>>,
  ) {
    const { txid, block, at } = reclaim
    const rows = taken.map(({ row }) => row)
    const stakes = taken.map(({ stake }) => stake)
    const from = [rows.map((row) => row.txid), rows.map(({ provider }) => provider), stakes]
    await tx.query(insertTaken, [txid, at, ...from])
    const gone = taken.filter(({ row, stake }) => stake === row.left)
    await tx.query(endTaken, [gone.map(({ row }) => row.txid), block, at])
    for (const provider of new Set(rows.map((row) => row.provider))) {
      const { count } = (await tx.query(countTaken, [provider, at]))[0]!
      log.warn('energy_taken_back', { provider, txid, count: Number(count) })
      if (count < TAKEN_MAX) continue
      await providers.pause(tx, provider)
      log.error('provider_paused', { provider, reason: 'took Energy back twice within 24 hours' })
    }
    const news = taken.map(({ row, stake }) => ({
      request: row.request,
      reclaimTxid: txid,
      provider: row.provider,
      whole: row.whole,
      energy: row.energy,
      stake: row.stake,
      taken: stake,
      seconds: BigInt(Math.floor((row.endsAt.getTime() - at.getTime()) / 1_000)),
      at,
    }))
    for (const participant of onTakenBack) await participant(tx, news)
  }

  async function decide({ txid, ...reclaim }: ForeignReclaim): Promise<number> {
    const { owner, receiver, block, at, stake: reclaimed } = reclaim
    const needs = [owner, receiver, block, at]
    const isNeeded = (await db.query(readNeeded, needs)).length > 0
    const there = isNeeded ? await remainingAfter({ txid, ...reclaim }) : undefined
    // The node is ahead of us or behind, or there is a move that it may not have seen: look again later.
    if (isNeeded && !there) return 0
    return db.transaction(async (tx) => {
      const [locked] = await tx.query(lockReclaim, [txid])
      if (!locked) return 0
      await tx.query(decideReclaim, [txid, runtime.clock.now()])
      const needed = there ? await tx.query(readNeeded, needs) : []
      const taken = there ? takenFrom(needed, { reclaimed, ...there }) : []
      if (taken.length > 0) await write(tx, locked, taken)
      return 1
    })
  }

  return {
    /** Returns how many it decided. */
    async decideSolid(): Promise<number> {
      const progress = await chain.progress()
      if (!progress) return 0
      const open = await db.query(openReclaims, [progress.solidNumber, BATCH, apart.waiting()])
      const decided = await apart.each(open, ({ txid }) => txid, decide)
      return decided.reduce((sum, one) => sum + one, 0)
    },
  }
}
