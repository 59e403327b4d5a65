import { type BlockHeaderRaw, parseJson, stringifyJson } from '@ergon/tron'
import type { BlockLog } from './blockLog.ts'
import type { EnergyChange } from './contracts/energyModel.ts'
import { TaposRing } from './taposRing.ts'
import { TransactionIndex } from './transactionIndex.ts'

export type InfoJson = Record<string, unknown> & { id: string }

export type Block = {
  number: number
  id: string
  timestamp: number
  header: BlockHeaderRaw
  witnessSignature: string
  txids: string[]
  /** Whole transactions with signatures and ret, as they are hashed into txTrieRoot. */
  transactions: Uint8Array[]
  infos: InfoJson[]
  /** Settings of the sandbox that this block begins with; no node has them. */
  changes?: EnergyChange[]
}

// Blocks that were just made or asked for, decoded: scanners ask for the newest ones.
const cachedMax = 64

/** The blocks of the current branch, by number, and their transactions, by id. */
export class BlockStore {
  readonly #log: BlockLog
  readonly #places: number[] = []
  readonly #index = new TransactionIndex()
  readonly #cache = new Map<number, Block>()
  /** Ids of the recent blocks, for the reference that a transaction makes. */
  readonly tapos = new TaposRing()

  constructor(log: BlockLog) {
    this.#log = log
    for (const { place, record } of log.records()) {
      const { header, id, txids } = readMeta(record)
      this.#place({ number: header.number, id, txids }, place)
    }
  }

  /** Number of the newest block; -1 when there is none. */
  get head(): number {
    return this.#places.length - 1
  }

  /** A number at or below the head starts another branch there: what was above it is gone. */
  append(block: Block): void {
    if (block.number > this.head + 1) throw new Error(`block ${block.number} has no parent here`)
    this.#place(block, this.#log.append(encode(block)))
    for (const number of this.#cache.keys()) {
      if (number >= block.number) this.#cache.delete(number)
    }
    this.#remember(block)
  }

  /** Forgets the blocks above the number; the log keeps them, and the next append replaces them. */
  truncate(number: number): void {
    this.#places.length = Math.min(this.#places.length, number + 1)
    this.tapos.truncate(number)
    for (const cached of this.#cache.keys()) if (cached > number) this.#cache.delete(cached)
  }

  read(number: number): Block | undefined {
    const cached = this.#cache.get(number)
    if (cached) return cached
    const place = this.#places[number]
    if (place === undefined) return undefined
    const block = decode(this.#log.read(place))
    this.#remember(block)
    return block
  }

  find(txid: string): { block: Block; index: number } | undefined {
    for (const place of this.#index.find(txid)) {
      const block = this.read(place.block)
      if (block?.txids[place.index] === txid) return { block, index: place.index }
    }
    return undefined
  }

  sync(): void {
    this.#log.sync()
  }

  close(): void {
    this.#log.close()
  }

  #place({ number, id, txids }: Pick<Block, 'number' | 'id' | 'txids'>, place: number): void {
    this.#places.length = number
    this.#places.push(place)
    this.tapos.put(number, id)
    for (const [index, txid] of txids.entries()) this.#index.add(txid, number, index)
  }

  #remember(block: Block): void {
    this.#cache.delete(block.number)
    this.#cache.set(block.number, block)
    if (this.#cache.size > cachedMax) {
      const [oldest] = this.#cache.keys()
      this.#cache.delete(oldest!)
    }
  }
}

type Meta = Pick<Block, 'id' | 'header' | 'witnessSignature' | 'txids' | 'changes'> & {
  /** Of a block whose header has no time: the genesis. */
  time?: number
  infosBytes: number
  sizes: number[]
}

// length of meta, meta, infos, transactions: the index needs only the first two.
function encode(block: Block): Buffer {
  const infos = Buffer.from(stringifyJson(block.infos))
  const { id, header, witnessSignature, txids, changes } = block
  const sizes = block.transactions.map(({ length }) => length)
  const described: Meta = {
    id,
    header,
    witnessSignature,
    txids,
    infosBytes: infos.length,
    sizes,
    ...(changes ? { changes } : {}),
    ...(block.timestamp === header.timestamp ? {} : { time: block.timestamp }),
  }
  const meta = Buffer.from(JSON.stringify(described))
  const length = Buffer.allocUnsafe(4)
  length.writeUInt32LE(meta.length)
  return Buffer.concat([length, meta, infos, ...block.transactions])
}

function readMeta(record: Buffer): Meta {
  return JSON.parse(record.toString('utf8', 4, 4 + record.readUInt32LE(0))) as Meta
}

function decode(record: Buffer): Block {
  const { sizes, infosBytes, time, ...meta } = readMeta(record)
  let at = 4 + record.readUInt32LE(0)
  const infos = parseJson(record.toString('utf8', at, at + infosBytes)) as InfoJson[]
  at += infosBytes
  const transactions = sizes.map((size) => {
    at += size
    return record.subarray(at - size, at)
  })
  const { number, timestamp } = meta.header
  return { number, timestamp: time ?? timestamp, ...meta, transactions, infos }
}
