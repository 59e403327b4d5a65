import type { DecodedBlock, HexAddress, NodeClient } from '@ergon/tron'
import { createApart, type Db, type Tx } from '../db/index.ts'
import { assert, type Clock, type Log } from '../kernel/index.ts'
import { type BlockFacts, type FetchedBlock, factsOf, type OrphanedBlock } from './block.ts'
import { fetchAfter } from './fetch.ts'
import {
  expireBroadcasts,
  findBlock,
  findBlockOnChain,
  forgetBlocks,
  includeBroadcasts,
  insertBlock,
  lockCursor,
  moveCursor,
  noteHead,
  orphanBlock,
  raiseSolid,
  returnBroadcasts,
  startCursor,
} from './scan.sql.ts'
import { type CursorRow, readCursor } from './store.ts'
import { createWatchMap } from './watch.ts'

/** Runs in the block's transaction and writes facts. It must lock nothing after a ledger account. */
export type OnBlock = (tx: Tx, block: BlockFacts) => Promise<void>
export type OnOrphan = (tx: Tx, block: OrphanedBlock) => Promise<void>

export type Scan = {
  /** One round: at most a hundred blocks. Returns the number of blocks written or orphaned. */
  follow(): Promise<number>
  /** True when the last round has read everything that the node had. */
  isAtHead(): boolean
  /** Reads blocks again that were read before, from a height up to the cursor; returns how many. */
  rescan(from: number): Promise<number>
}

/** Blocks kept below the solid one. */
const KEPT_BLOCKS = 1_000n
/** Older ones are forgotten whenever this many more have become solid. */
const FORGET_EVERY = 100
/** The node's head is written at most this often, and unchanged to show that the node answers. */
const NOTE_HEAD_MS = 1_000
const NOTE_SAME_HEAD_MS = 3_000

/** The longest pause of a loop that fails. */
const RETRY_SECONDS_MAX = 5

type Deps = {
  db: Db
  node: NodeClient
  clock: Clock
  log: Log
  onBlock: readonly OnBlock[]
  onOrphan: readonly OnOrphan[]
  /** Addresses of the treasury: every transaction that they send is a fact. */
  treasury(tx: Tx): Promise<HexAddress[]>
  /** Called when facts or the solid block may have changed. */
  onCommit(): void
}

/**
 * Reads the chain in order: cursor + 1 only, never a gap. The cursor and the effects of a block are
 * one transaction, moved by compare-and-set, so two scanners at once do no harm.
 */
export function createScan(deps: Deps): Scan {
  const { db, node, log, onBlock, onOrphan, onCommit } = deps
  const watch = createWatchMap()
  const heads = createHeadNotes(deps)
  // No block may be left out. The loop tries again every few seconds, and operators see block and error.
  const of = { loop: 'chain.scan', kind: 'block', pauseMax: RETRY_SECONDS_MAX }
  const { noting } = createApart(deps, of)
  let isAtHead = false

  async function readOrStartCursor(): Promise<CursorRow> {
    const [row] = await db.query(readCursor)
    if (row) return row
    // First start: all addresses of ours are newer than the solid block.
    const solid = await node.getSolidBlock()
    await db.query(startCursor, [solid.number, solid.id, new Date(solid.timestamp)])
    return (await db.query(readCursor))[0]!
  }

  async function extractFacts(tx: Tx, block: FetchedBlock): Promise<BlockFacts> {
    // Refresh after fetching the block: an address paid in it was committed before.
    await watch.refresh(tx)
    const treasury = new Set(await deps.treasury(tx))
    return factsOf(block, watch.addresses, { callers: watch.callers, treasury })
  }

  /**
   * True when this scanner wrote the block; false when the cursor had moved. `news`: what the node says of
   * its head and its solid block, in the same transaction: loops that follow the chain look once, not three times.
   */
  async function write(block: FetchedBlock, news: News | undefined): Promise<boolean> {
    return db.transaction(async (tx) => {
      const [at] = await tx.query(lockCursor)
      assert(at, 'the cursor is gone')
      if (Number(at.number) + 1 !== block.number || at.id !== block.parentId) return false
      const facts = await extractFacts(tx, block)
      await tx.query(insertBlock, [block.id, block.number, block.parentId, facts.time])
      await tx.query(moveCursor, [block.number, block.id, facts.time])
      const txids = block.transactions.map((transaction) => transaction.txId)
      if (txids.length > 0) await tx.query(includeBroadcasts, [txids, block.number])
      // Before the participants: they may lock accounts of the ledger, and nothing is locked after those.
      if (news) await noteNews(tx, news)
      for (const participant of onBlock) await participant(tx, facts)
      return true
    })
  }

  async function noteNews(tx: Tx, { head, solid }: News): Promise<void> {
    await head.write(tx)
    if (!solid) return
    const time = new Date(solid.timestamp)
    // Another branch may have become solid since our reading. Then our blocks at that height are
    // orphans that we have not noticed yet, and must not become final.
    const raised = await tx.query(raiseSolid, [solid.number, solid.id, time])
    if (raised.length === 0) return
    if (solid.number % FORGET_EVERY === 0) {
      await tx.query(forgetBlocks, [BigInt(solid.number) - KEPT_BLOCKS])
    }
    const dead = await tx.query(expireBroadcasts, [time])
    if (dead.length > 0) log.warn('broadcasts_expired', { count: dead.length })
  }

  /** Moves the cursor back by one block and marks its facts missing. */
  async function orphan(at: CursorRow): Promise<void> {
    await db.transaction(async (tx) => {
      const [now] = await tx.query(lockCursor)
      if (now?.id !== at.id) return
      assert(at.number > at.solidNumber, `solid block ${at.id} is not on the node's chain`)
      const [gone] = await tx.query(orphanBlock, [at.id])
      assert(gone, `block ${at.id} was never written`)
      const [parent] = await tx.query(findBlock, [gone.parentId])
      const parentTime = parent?.time ?? at.solidTime
      await tx.query(moveCursor, [at.number - 1n, gone.parentId, parentTime])
      await tx.query(returnBroadcasts, [at.number])
      const block = { number: Number(at.number), id: at.id }
      log.warn('block_orphaned', { height: block.number, block: block.id })
      for (const participant of onOrphan) await participant(tx, block)
    })
  }

  /** The node's solid block, at most of this height; undefined when it is known already. */
  async function solidUpTo(height: number, newest: DecodedBlock, at: CursorRow) {
    // Only blocks that we have read count as solid; of a node ahead of us, take its block at our height.
    const solid = newest.number > height ? await node.getSolidBlockByNum(height) : newest
    return solid && solid.number > Number(at.solidNumber) ? solid : undefined
  }

  /** True when the node's head is not a descendant of what we have written. */
  function isOtherBranch(first: FetchedBlock, at: CursorRow): boolean {
    if (first.number === Number(at.number) + 1) return first.parentId !== at.id
    // A node behind us proves nothing; another id at our own height is another branch.
    return first.number === Number(at.number) && first.id !== at.id
  }

  /** Writes the facts of one old block again. Known facts do not change, because of their keys. */
  async function reread(block: FetchedBlock): Promise<void> {
    await db.transaction(async (tx) => {
      await tx.query(lockCursor)
      const [written] = await tx.query(findBlockOnChain, [block.id])
      const [at] = await tx.query(readCursor)
      assert(at && block.number <= at.number, 'a rescan does not pass the cursor')
      // Above the solid block only blocks of our branch may be read again.
      if (!written && block.number > at.solidNumber) return
      const facts = await extractFacts(tx, block)
      for (const participant of onBlock) await participant(tx, facts)
    })
  }

  return {
    isAtHead: () => isAtHead,
    async follow() {
      isAtHead = false
      // The cursor first: of a head that is older than it nobody could say whether it is another branch.
      const at = await readOrStartCursor()
      const [head, newestSolid] = await Promise.all([heads.see(), settled(node.getSolidBlock())])
      const blocks = await fetchAfter(node, Number(at.number), head.block)
      const [first] = blocks
      if (first && isOtherBranch(first, at)) {
        await noting(String(at.number + 1n), () => orphan(at))
        onCommit()
        return 1
      }
      const fresh = blocks.filter(({ number }) => number > Number(at.number))
      const last = fresh.at(-1)
      const height = last?.number ?? Number(at.number)
      const solid = newestSolid.value && (await solidUpTo(height, newestSolid.value, at))
      const news = { head, solid }
      let written = 0
      for (const block of fresh) {
        const ofLast = block === last ? news : undefined
        if (!(await noting(String(block.number), () => write(block, ofLast)))) break
        written += 1
        onCommit()
      }
      if (!last && (head.isDue() || solid)) {
        await db.transaction(async (tx) => {
          await tx.query(lockCursor)
          await noteNews(tx, news)
        })
        onCommit()
      }
      if (written === fresh.length) head.wasWritten()
      isAtHead = written === fresh.length && height === head.block.number
      // Blocks are read all the same while a node does not say what is solid.
      if (newestSolid.error) throw newestSolid.error
      return written
    },
    async rescan(from) {
      const at = await readOrStartCursor()
      let height = from - 1
      while (height < Number(at.number)) {
        const blocks = await fetchAfter(node, height)
        const old = blocks.filter((block) => block.number <= Number(at.number))
        if (old.length === 0 || old[0]!.number !== height + 1) break
        for (const block of old) await reread(block)
        height = old.at(-1)!.number
      }
      onCommit()
      return height - from + 1
    },
  }
}

type News = { head: Head; solid: DecodedBlock | undefined }

/** The node's head, for processes that do not scan. */
type Head = {
  block: DecodedBlock
  isDue(): boolean
  /** Writes it if it is due. */
  write(tx: Tx): Promise<void>
  /** Its transaction was committed. */
  wasWritten(): void
}

/** Heads are written after the blocks of the round are read: each new block would look like lag for a moment. */
function createHeadNotes({ node, clock }: Deps) {
  let noted: { ms: number; id: string } | undefined

  return {
    async see(): Promise<Head> {
      const block = await node.getNowBlock()
      const { id, number, timestamp } = block
      const seenMs = clock.elapsedMs()
      const pauseMs = id === noted?.id ? NOTE_SAME_HEAD_MS : NOTE_HEAD_MS
      const isDue = noted === undefined || seenMs - noted.ms >= pauseMs
      return {
        block,
        isDue: () => isDue,
        async write(tx) {
          const ageMs = Math.round(clock.elapsedMs() - seenMs)
          if (isDue) await tx.query(noteHead, [number, new Date(timestamp), ageMs])
        },
        wasWritten() {
          if (isDue) noted = { ms: seenMs, id }
        },
      }
    },
  }
}

/** A promise that is awaited later, or not at all. */
function settled<T>(promise: Promise<T>): Promise<{ value?: T; error?: unknown }> {
  return promise.then(
    (value) => ({ value }),
    (error) => ({ error }),
  )
}
