import { type HexAddress, type NodeClient, NodeTrouble } from '@ergon/tron'
import type { Claim, Db, Tx } from '../db/index.ts'
import {
  assert,
  type Clock,
  createLoop,
  type Log,
  type Loop,
  type MovableClock,
} from '../kernel/index.ts'
import type { FetchedBlock } from './block.ts'
import { type Broadcasts, createBroadcasts, type SignedTransaction } from './broadcast.ts'
import { fetchBlocks } from './fetch.ts'
import { createLag, type Lag } from './lag.ts'
import { createReceivers, type Receivers } from './receivers.ts'
import { createScan, type OnBlock, type OnOrphan, type Scan } from './scan.ts'
import { readCursor } from './store.ts'
import { watchAddresses, watchCallers } from './watch.ts'

/** The reference of a new transaction: the head's time, and a block that cannot be orphaned. */
export type Ground = { solidId: string; headTime: Date }

/** How far we have read, and up to where it can no longer change. */
export type Progress = {
  number: number
  id: string
  time: Date
  solidNumber: number
  solidTime: Date
}

export type Chain = {
  node: NodeClient
  watch(tx: Tx, addresses: HexAddress[], purpose: string): Promise<void>
  /** From now on, contract calls by these addresses are facts of a block. */
  watchCallers(tx: Tx, addresses: HexAddress[]): Promise<void>
  /** SUN that the network burns for one Energy; cached for ten minutes. */
  energyPrice(): Promise<bigint>
  /** Id of block 0: which network this is. */
  genesisId(): Promise<string>
  /**
   * For a transaction with this lifetime. Undefined when the newest block read is so old that the
   * transaction would expire at once, when we have not caught up since the start (transactions sent
   * before the stop may be in blocks that we have not read), or in recovery.
   */
  ground(lifeMs: number): Promise<Ground | undefined>
  progress(): Promise<Progress | undefined>
  /** Old blocks with their receipts, at most 100; undefined when the node does not have them all. */
  blocks(first: number, last: number): Promise<FetchedBlock[] | undefined>
  /** Whether the scanner is behind; selling stops meanwhile. */
  lag: Lag
  receivers: Receivers
  broadcasts: Broadcasts
  scanLoop: Loop
  /** Reads old blocks again. Missed facts are written, known facts do not change. */
  rescan(from: number): Promise<number>
  /** A sentence when the newest block read is too old for selling. */
  trouble(): Promise<string | undefined>
}

/** Time for signing, sending and inclusion: five blocks. */
const ON_ITS_WAY_MS = 15_000
const PRICE_AGE_MS_MAX = 600_000

export function createChain(deps: {
  db: Db
  node: NodeClient
  clock: MovableClock
  log: Log
  pollMs: number
  /** Of the sandbox: milliseconds between blocks, 0 when they come on demand. */
  blockMs: number | undefined
  receiverMs?: number | undefined
  onBlock: readonly OnBlock[]
  onOrphan: readonly OnOrphan[]
  treasury(tx: Tx): Promise<HexAddress[]>
  recovery(): Promise<string | undefined>
  onCommit(): void
  takeSigned(tx: Tx, claim: Claim): Promise<SignedTransaction[]>
  signedDue: string
}): Chain {
  const { db, node, clock } = deps
  const lag = createLag(deps)
  const scan = createScan(deps)

  async function progress(): Promise<Progress | undefined> {
    const [row] = await db.query(readCursor)
    if (!row) return undefined
    const { number, id, time, solidNumber, solidTime } = row
    return { number: Number(number), id, time, solidNumber: Number(solidNumber), solidTime }
  }

  return {
    node,
    watch: watchAddresses,
    watchCallers,
    energyPrice: createEnergyPrice(deps),
    genesisId: createGenesisId(node),
    async ground(lifeMs) {
      const row = await lag.look()
      if (!row || !lag.mayBuild()) return undefined
      const leftMs = row.time.getTime() + lifeMs - clock.now().getTime()
      return leftMs < ON_ITS_WAY_MS ? undefined : { solidId: row.solidId, headTime: row.time }
    },
    progress,
    blocks: (first, last) => fetchBlocks(node, first, last),
    lag,
    receivers: createReceivers(node, deps.receiverMs),
    broadcasts: createBroadcasts(deps),
    scanLoop: createScanLoop(scan, deps),
    rescan: scan.rescan,
    async trouble() {
      await lag.look()
      // In recovery everything but selling works.
      const behind = lag.behind()
      return behind?.reason === 'recovery' ? undefined : behind?.sentence
    },
  }
}

/**
 * Blocks are three seconds apart: after a new one the node is asked when the next is due, and then each `pollMs`. A little
 * early, or what one block was seen too late would stay with all that follow.
 */
const NEXT_BLOCK_MS = 2_800
/** After a block of which somebody told us: news of the next one comes before we ask. */
const NEXT_NEWS_MS = 3_500

function createScanLoop(scan: Scan, { log, pollMs }: { log: Log; pollMs: number }): Loop {
  let isTold = false
  let wasTold = false
  const loop = createLoop({
    name: 'chain.scan',
    everyMs: pollMs,
    afterWorkMs() {
      if (!scan.isAtHead()) return 0
      return wasTold ? NEXT_NEWS_MS : NEXT_BLOCK_MS
    },
    log,
    async work() {
      wasTold = isTold
      isTold = false
      return scan.follow()
    },
  })
  return {
    ...loop,
    wake() {
      isTold = true
      loop.wake()
    },
    runOnce: scan.follow,
  }
}

/** The network changes it about once a year. */
function createEnergyPrice({ node, clock }: { node: NodeClient; clock: Clock }) {
  let known: { price: bigint; readMs: number } | undefined
  let reading: Promise<bigint> | undefined
  async function read(): Promise<bigint> {
    const price = (await node.getChainParameters()).get('getEnergyFee')
    if (price === undefined || price <= 0n) {
      throw new NodeTrouble('malformed', 'the node names no price of Energy')
    }
    known = { price, readMs: clock.elapsedMs() }
    return price
  }
  return async (): Promise<bigint> => {
    if (known && clock.elapsedMs() - known.readMs < PRICE_AGE_MS_MAX) return known.price
    // Many visitors at once ask the node once.
    reading ??= read().finally(() => {
      reading = undefined
    })
    return reading
  }
}

/** Read once, because it never changes. */
function createGenesisId(node: NodeClient) {
  let known: string | undefined
  return async (): Promise<string> => {
    known ??= (await node.getBlockByNum(0))?.id
    assert(known, 'the node does not have block 0')
    return known
  }
}
