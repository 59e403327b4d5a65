import type { HexAddress, NodeClient } from '@ergon/tron'
import type { Db, Tx } from '../db/index.ts'
import { assert, type Clock, createLoop, type Log, type Loop } from '../kernel/index.ts'
import { type Broadcasts, createBroadcasts, type SignedTransaction } from './broadcast.ts'
import { createReceivers, type Receivers } from './receivers.ts'
import { createScan, type OnBlock, type OnOrphan } from './scan.ts'
import { readCursor } from './store.ts'
import { watchAddresses, watchCallers } from './watch.ts'

/** What a new transaction is built on: the head's time, and a block that cannot be orphaned. */
export type Ground = { solidId: string; headTime: Date }

/** How far we have read, and up to where it can no longer change. */
export type Progress = { number: number; time: Date; solidNumber: number; solidTime: Date }

export type Chain = {
  node: NodeClient
  watch(tx: Tx, addresses: HexAddress[], purpose: string): Promise<void>
  /** From now on, calls of contracts by these addresses are among the facts of a block. */
  watchCallers(tx: Tx, addresses: HexAddress[]): Promise<void>
  /** SUN that the network burns for one Energy; asked again every ten minutes. */
  energyPrice(): Promise<bigint>
  ground(): Promise<Ground>
  progress(): Promise<Progress | undefined>
  receivers: Receivers
  broadcasts: Broadcasts
  scanLoop: Loop
  /** Reads old blocks again; what was missed is found, what is known stays as it is. */
  rescan(from: number): Promise<number>
  /** A sentence when the newest block we have read is too old to sell on. */
  trouble(): Promise<string | undefined>
}

const HEAD_AGE_MS_MAX = 30_000
const PRICE_AGE_MS_MAX = 600_000

export function createChain(deps: {
  db: Db
  node: NodeClient
  clock: Clock
  log: Log
  pollMs: number
  onBlock: readonly OnBlock[]
  onOrphan: readonly OnOrphan[]
  onCommit(): void
  takeSigned(tx: Tx, limit: number): Promise<SignedTransaction[]>
}): Chain {
  const { db, node, clock, log } = deps
  const scan = createScan(deps)

  async function progress(): Promise<Progress | undefined> {
    const [row] = await db.query(readCursor)
    if (!row) return undefined
    const { number, time, solidNumber, solidTime } = row
    return { number: Number(number), time, solidNumber: Number(solidNumber), solidTime }
  }

  return {
    node,
    watch: watchAddresses,
    watchCallers,
    energyPrice: createEnergyPrice(deps),
    async ground() {
      const [row] = await db.query(readCursor)
      assert(row, 'the chain has not been read yet')
      return { solidId: row.solidId, headTime: row.time }
    },
    progress,
    receivers: createReceivers(node),
    broadcasts: createBroadcasts(deps),
    scanLoop: createLoop({ name: 'chain.scan', everyMs: deps.pollMs, work: scan.follow, log }),
    rescan: scan.rescan,
    async trouble() {
      const at = await progress()
      if (!at) return 'no block has been read yet'
      // Block time follows business time: the sandbox moves both.
      const ageMs = clock.now().getTime() - at.time.getTime()
      if (ageMs <= HEAD_AGE_MS_MAX) return undefined
      return `the newest block read (${at.number}) is ${Math.round(ageMs / 1000)} s old`
    },
  }
}

/** A committee sets it and changes it once a year. */
function createEnergyPrice({ node, clock }: { node: NodeClient; clock: Clock }) {
  let known: { price: bigint; readMs: number } | undefined
  return async (): Promise<bigint> => {
    if (known && clock.elapsedMs() - known.readMs < PRICE_AGE_MS_MAX) return known.price
    const price = (await node.getChainParameters()).get('getEnergyFee')
    assert(price !== undefined && price > 0n, 'the node names no price of Energy')
    known = { price, readMs: clock.elapsedMs() }
    return price
  }
}
