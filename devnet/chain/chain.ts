import { stringifyJson } from '@ergon/tron'
import { assembleBlock, decodeTransactions, finishInfo } from './assemble.ts'
import type { Block, BlockStore, InfoJson } from './blockStore.ts'
import { checkBroadcast } from './checks.ts'
import type { ChainClock } from './clock.ts'
import { applyChange, type EnergyChange } from './contracts/energyModel.ts'
import { type Executed, execute, type Incoming } from './execute.ts'
import type { Network } from './genesis.ts'
import { slotMs } from './parameters.ts'
import { Refusal } from './refusal.ts'
import { finishBlock } from './rewards.ts'
import { type SignerOf, signerOf } from './signatures.ts'
import type { State, View } from './state.ts'

export type ChainParts = {
  state: State
  store: BlockStore
  network: Network
  clock: ChainClock
  solidLag: number
  /** The block the state stands at before the first replay. */
  base: number
  signerOf?: SignerOf
  /** Called after each block of the current branch, once it is stored. */
  onBlock?: (chain: Chain) => void
}

export class ReorgError extends Error {
  override name = 'ReorgError'
}

/**
 * The state machine: one branch of blocks, a pool that is executed as it arrives, and the ability
 * to take back every block above the solid one. It has no timer; the caller calls mine().
 */
export class Chain {
  readonly network: Network
  readonly clock: ChainClock
  /** Called after each new block, on demand or by the timer. */
  onHead: () => void = () => {}
  readonly #state: State
  readonly #store: BlockStore
  readonly #solidLag: number
  readonly #genesisTime: number
  readonly #onBlock: (chain: Chain) => void
  readonly #signerOf: SignerOf
  #pool = new Map<string, Executed>()
  /** Applied before the pool; they go into the next block. */
  #changes: EnergyChange[] = []
  #head: Block
  #solid: number

  constructor(parts: ChainParts) {
    this.network = parts.network
    this.clock = parts.clock
    this.#state = parts.state
    this.#store = parts.store
    this.#solidLag = parts.solidLag
    this.#signerOf = parts.signerOf ?? signerOf
    this.#onBlock = parts.onBlock ?? (() => {})
    this.#genesisTime = parts.store.read(0)!.timestamp
    this.#head = parts.store.read(parts.base)!
    this.#solid = parts.base
  }

  get head(): Block {
    return this.#head
  }

  get solidNumber(): number {
    return this.#solid
  }

  get genesisTime(): number {
    return this.#genesisTime
  }

  get pool(): ReadonlyMap<string, Executed> {
    return this.#pool
  }

  /** The state after a block that is not below the solid one; pending changes are not in it. */
  viewAt(number: number): View {
    const depth = this.#head.number - number
    if (depth < 0 || depth > this.#state.undoableBlocks)
      throw new RangeError(`no state at ${number}`)
    const { timestamp } = this.block(number)!
    return { tables: this.#state.readAt(depth), timestamp, slot: this.#slotOf(timestamp) }
  }

  /** What the next transaction will run on: the head and everything in the pool. */
  get pending(): View {
    const { timestamp } = this.#head
    return { tables: this.#state.tables, timestamp, slot: this.#slotOf(timestamp) }
  }

  /**
   * Sets what a contract's calls cost, which no transaction can. What waits in the pool was run with
   * the old factor, so it gets its block first; the change has one of its own.
   */
  setEnergy(change: EnergyChange): void {
    if (this.#pool.size > 0) this.mine()
    this.#changes.push(change)
    applyChange(this.#state.tables, change)
    this.mine()
  }

  block(number: number): Block | undefined {
    return this.#store.read(number)
  }

  blockById(id: string): Block | undefined {
    const block = this.block(Number.parseInt(id.slice(0, 16), 16))
    return block?.id === id ? block : undefined
  }

  transaction(txid: string): { block: Block; bytes: Uint8Array; info: InfoJson } | undefined {
    const found = this.#store.find(txid)
    if (!found) return undefined
    const { block, index } = found
    return { block, bytes: block.transactions[index]!, info: block.infos[index]! }
  }

  /** Takes a transaction into the pool, or throws a Refusal. */
  broadcast(transaction: Incoming): void {
    checkBroadcast(transaction, {
      tables: this.#state.tables,
      headTimestamp: this.#head.timestamp,
      tapos: this.#store.tapos,
      signerOf: this.#signerOf,
      isKnown: (txid) => this.#pool.has(txid) || this.transaction(txid) !== undefined,
    })
    this.#execute(transaction)
  }

  /** Makes the pool the next block. */
  mine(): Block {
    const timestamp = Math.max(this.clock.now(), this.#head.timestamp + 1)
    this.#dropExpired(timestamp)
    return this.#seal(timestamp)
  }

  /**
   * Another branch wins: the newest `depth` blocks go, one more block than that comes. The dropped
   * transactions vanish; every other one, also from the pool, is in the first new block.
   */
  reorg(depth: number, drop: ReadonlySet<string> = new Set()): Block {
    const depthMax = this.#head.number - this.#solid
    if (!Number.isInteger(depth) || depth < 1 || depth > depthMax) {
      throw new ReorgError(
        `depth must be 1 to ${depthMax}: block ${this.#solid} is solid and the head is ${this.#head.number}`,
      )
    }
    const pooled = [...this.#pool.values()].map(({ transaction }) => transaction)
    this.#state.rollback(0)
    const gone: Block[] = []
    while (gone.length < depth) gone.unshift(this.#takeBack())
    this.#changes = [...gone.flatMap(({ changes = [] }) => changes), ...this.#changes]
    this.#emptyPool()
    const kept = [...gone.flatMap(decodeTransactions), ...pooled].filter(
      ({ txid }) => !drop.has(txid),
    )
    // A millisecond later than the old blocks, so that the ids differ even where nothing else does.
    const [first, ...times] = gone.map(({ timestamp }) => timestamp + 1)
    for (const transaction of kept) {
      if (transaction.raw.expiration >= first!) this.#tryExecute(transaction)
    }
    this.#seal(first!)
    for (const time of times) this.#seal(time)
    return this.#seal(Math.max(this.clock.now(), this.#head.timestamp + 1))
  }

  /** Runs a stored block again, at the start; every receipt must come out as it was stored. */
  replay(block: Block): void {
    for (const change of block.changes ?? []) applyChange(this.#state.tables, change)
    for (const [index, transaction] of decodeTransactions(block).entries()) {
      const { info } = this.#execute(transaction)
      const again = stringifyJson(finishInfo(info, block.number, block.timestamp))
      if (again === stringifyJson(block.infos[index])) continue
      throw new Error(
        `transaction ${transaction.txid} of block ${block.number} does not replay: ` +
          'the folder was written by another version; start with --reset',
      )
    }
    this.#accept(block)
  }

  close(): void {
    this.#store.close()
  }

  sync(): void {
    this.#store.sync()
  }

  #execute(transaction: Incoming): Executed {
    const { timestamp } = this.#head
    const at = { contracts: this.network.contracts, timestamp, slot: this.#slotOf(timestamp) }
    const executed = execute(this.#state, transaction, at)
    this.#pool.set(transaction.txid, executed)
    return executed
  }

  #tryExecute(transaction: Incoming): void {
    try {
      this.#execute(transaction)
    } catch (error) {
      // On another branch a transaction may no longer be payable; it vanishes, as on a node.
      if (!(error instanceof Refusal)) throw error
    }
  }

  #emptyPool(): void {
    this.#state.rollback(0)
    this.#pool = new Map()
    for (const change of this.#changes) applyChange(this.#state.tables, change)
  }

  // Expiration is promised to clients as a limit: later than that, a transaction is in no block.
  #dropExpired(timestamp: number): void {
    const pooled = [...this.#pool.values()].map(({ transaction }) => transaction)
    const alive = pooled.filter(({ raw }) => raw.expiration >= timestamp)
    if (alive.length === pooled.length) return
    this.#emptyPool()
    for (const transaction of alive) this.#tryExecute(transaction)
  }

  #seal(timestamp: number): Block {
    const block = assembleBlock([...this.#pool.values()], {
      parent: this.#head,
      timestamp,
      witness: this.network.witness,
      changes: this.#changes,
    })
    this.#changes = []
    this.#store.append(block)
    this.#accept(block)
    this.#onBlock(this)
    this.onHead()
    return block
  }

  #accept(block: Block): void {
    finishBlock(this.#state.tables, this.network.witness.address, block.timestamp)
    this.#state.seal()
    this.#pool = new Map()
    this.#head = block
    this.#solid = Math.max(this.#solid, block.number - this.#solidLag)
    this.#state.forget(block.number - this.#solid)
  }

  #takeBack(): Block {
    const block = this.#head
    this.#state.undoBlock()
    this.#store.truncate(block.number - 1)
    this.#head = this.#store.read(block.number - 1)!
    return block
  }

  #slotOf(timestamp: number): number {
    return Math.floor((timestamp - this.#genesisTime) / slotMs)
  }
}
