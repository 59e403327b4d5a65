import { NodeTrouble, toBase58, toHex } from '@ergon/tron'
import type { BlockFacts, Chain, OrphanedBlock } from '../../chain/index.ts'
import { createApart, type Db, type Tx } from '../../db/index.ts'
import { createLoop, groupsOf, type Log, type Loop, type Runtime } from '../../kernel/index.ts'
import type { Providers } from '../../providers/index.ts'
import type { Signing } from '../../signing/index.ts'
import { STANDING_TO_LOOK_AT } from '../due.sql.ts'
import { noteFees } from '../fees/store.ts'
import { createAdjusting, type OnStray, RECLAIM_LIFE_MS } from './adjust.ts'
import { createCurrentRead } from './currentRead.ts'
import { STANDING_DELEGATED, STANDING_ENERGY } from './level.ts'
import { lockedStanding } from './locked.ts'
import { createOthersUse } from './othersUse.ts'
import {
  astray,
  type Claimed,
  claimStanding,
  endMove,
  lookAt,
  type OpenMove,
  openMoves,
  orphanMoves,
  readStanding,
  recordCalls,
  recordMoves,
  releaseStanding,
  wantStanding,
} from './standing.sql.ts'
import type { StandingRow } from './store.ts'
import { STRAYED_MAX } from './stray.ts'

/** Energy that stands ready on an address: own stake, no order, no event. Addresses are base58. */
export type Standing = {
  /** Whether our stake could supply one more address now. */
  room(): 'room' | 'full' | 'unreachable'
  /** Keeps the Energy on the address from now on; `strayed` is the known use by others. */
  want(tx: Tx, address: string, strayed: bigint): Promise<void>
  /** Reclaims all of it, and then counts the last use. */
  release(tx: Tx, address: string): Promise<void>
  /** The state of the address, locked until the transaction ends. */
  lock(tx: Tx, address: string): Promise<StandingLevel | undefined>
  /** Addresses whose Energy others use; the caller should release them. */
  astray(most: number): Promise<string[]>
  onBlock(tx: Tx, block: BlockFacts): Promise<void>
  onOrphan(tx: Tx, block: OrphanedBlock): Promise<void>
  wake(): void
  loop: Loop
}

export type StandingLevel = StandingRow & {
  /** Block time at which the head state showed the whole level. */
  wholeAt: Date | undefined
  /** No Energy of ours is on the address or pending, and all use is counted. */
  gone: boolean
  /** Others' use exceeds the tolerance. */
  isAstray: boolean
}

type Deps = {
  db: Db
  runtime: Runtime
  log: Log
  chain: Chain
  signing: Signing
  providers: Providers
  /** A level may have changed. */
  onChange(): void
  onStray: OnStray
  isSelling(tx: Tx): Promise<boolean>
}

const BATCH = 100
const MEASURES_AT_ONCE = 10
/** Pause before a retry without capacity or without a node. */
const PAUSE_MS = 1_000
/** Readings expire: used Energy recovers over a day, and the network's totals change the ratio. */
const MEASURE_AGE_MS_MAX = 1_800_000

export function createStanding(deps: Deps): Standing {
  const { db, log, chain, signing, providers } = deps
  const apartOf = (kind: string) =>
    createApart({ db, clock: deps.runtime.clock, log }, { loop: 'delivery.standing', kind })
  const addressesApart = apartOf('address')
  const movesApart = apartOf('move')
  const adjusting = createAdjusting(deps)
  const othersUse = createOthersUse(chain)
  const currentRead = createCurrentRead(chain)

  async function measure({ address, wanted, isFirst }: Claimed): Promise<number> {
    if (wanted === 0n && (await finished(address))) return 0
    const ask = () => chain.node.getAccountResource(toHex(address))
    const { answer: resource, isCurrent } = isFirst
      ? await currentRead(toHex(address), ask)
      : { answer: await ask(), isCurrent: false }
    const progress = await chain.progress()
    const ground = await chain.ground(RECLAIM_LIFE_MS)
    if (!progress || !ground) return 0
    const measured = resource && { limit: resource.energyLimit, used: resource.energyUsed }
    const totals = resource && {
      energyLimit: resource.totalEnergyLimit,
      energyWeight: resource.totalEnergyWeight,
    }
    const { time: at, number } = progress
    const look = { wanted, measured, totals, at, block: BigInt(number), isCurrent, ground }
    return adjusting.adjust(address, look)
  }

  /**
   * Whether the Energy is reclaimed and counted. Use by others between the last reading and the reclaim
   * is known only from the receipts of those blocks.
   */
  async function finished(address: string): Promise<boolean> {
    const [row] = await db.query(readStanding, [address])
    if (!row || row.stake > 0n || row.underWay) return false
    const energy = await othersUse(row)
    const at = (await chain.progress())?.time
    if (energy !== undefined && at) await adjusting.finish({ address, energy, at })
    return true
  }

  async function lookAtClaimed(): Promise<number> {
    const at = await chain.progress()
    if (!at) return 0
    const old = new Date(at.time.getTime() - MEASURE_AGE_MS_MAX)
    const claimed = await db.query(claimStanding, [old, PAUSE_MS, BATCH, addressesApart.waiting()])
    let moved = 0
    for (const some of groupsOf(claimed, MEASURES_AT_ONCE)) {
      const results = await Promise.all(
        some.map((one) => addressesApart.alone(one.address, () => measure(one).catch(unlessFault))),
      )
      moved += results.reduce<number>((sum, made) => sum + (made ?? 0), 0)
    }
    if (moved > 0) signing.wake()
    if (claimed.length > 0) deps.onChange()
    return claimed.length === BATCH ? BATCH : 0
  }

  function unlessFault(error: unknown): number {
    if (!(error instanceof NodeTrouble)) throw error
    log.warn('standing_not_measured', { reason: error.message })
    return 0
  }

  /** Ends moves that the signer refused or that expired in no block. */
  async function endDead(): Promise<number> {
    const open = await db.query(openMoves, [BATCH, movesApart.waiting()])
    if (open.length === 0) return 0
    const [answers, states, progress] = await Promise.all([
      signing.answers(open.map((move) => move.signingRequest)),
      chain.broadcasts.states(open.map((move) => move.txid)),
      chain.progress(),
    ])
    const refused = new Set(answers.flatMap((a) => (a.state === 'refused' ? a.id : [])))
    const sent = new Map(states.map((state) => [state.txid, state.state]))
    const dead = open.filter(({ txid, signingRequest, expiresAt }) => {
      if (refused.has(signingRequest) || sent.get(txid) === 'expired') return true
      return !sent.has(txid) && progress !== undefined && progress.solidTime > expiresAt
    })
    const end = ({ txid }: OpenMove) =>
      db.transaction(async (tx) => {
        const ended = await tx.query(endMove, [txid])
        if (ended.length > 0) await look(tx, ended)
      })
    return (await movesApart.each(dead, ({ txid }) => txid, end)).length
  }

  async function look(tx: Tx, rows: readonly { address: string }[]): Promise<void> {
    if (rows.length > 0) await tx.query(lookAt, [rows.map(({ address }) => address)])
  }

  const loop = createLoop({
    name: 'delivery.standing',
    everyMs: 250,
    due: STANDING_TO_LOOK_AT,
    log,
    work: async () => (await endDead()) + (await lookAtClaimed()),
  })

  return {
    room() {
      const offer = providers.offers().find(({ provider }) => provider === 'own_stake')
      if (!offer) return 'unreachable'
      return offer.capacity >= STANDING_DELEGATED ? 'room' : 'full'
    },
    async want(tx, address, strayed) {
      await tx.query(wantStanding, [address, STANDING_ENERGY, strayed])
    },
    async release(tx, address) {
      await tx.query(releaseStanding, [address])
    },
    async lock(tx, address) {
      const row = await lockedStanding(tx, address)
      return row && levelOf(row)
    },
    async astray(most) {
      return (await db.query(astray, [STRAYED_MAX, most])).map(({ address }) => address)
    },
    async onBlock(tx, { number, time, delegations, calls }) {
      const txids = delegations.map(({ txid }) => txid)
      const moved = txids.length > 0 ? await tx.query(recordMoves, [txids, number]) : []
      if (moved.length > 0) await tx.query(noteFees, [moved.map(({ txid }) => txid), number])
      await look(tx, moved)
      if (calls.length === 0) return
      const callers = calls.map(({ caller }) => toBase58(caller))
      const taken = calls.map(({ energyUsage }) => energyUsage)
      await tx.query(recordCalls, [callers, taken, time, STANDING_ENERGY])
    },
    async onOrphan(tx, { number }) {
      await look(tx, await tx.query(orphanMoves, [number]))
    },
    wake: loop.wake,
    loop,
  }
}

function levelOf(row: StandingRow): StandingLevel {
  const { wanted, available, measuredAt, stake, underWay, strayed, judgedBlock } = row
  const whole = wanted > 0n && available !== null && available >= wanted
  return {
    ...row,
    wholeAt: whole && measuredAt !== null ? measuredAt : undefined,
    gone: wanted === 0n && stake === 0n && !underWay && judgedBlock === null,
    isAstray: wanted > 0n && strayed > STRAYED_MAX,
  }
}
