import type { HexAddress, NewContract } from '@ergon/tron'
import type { Account, Vote } from './account.ts'

/** A delegation between two accounts; locked and unlocked balances are separate records. */
export type Delegation = {
  from: HexAddress
  to: HexAddress
  locked: boolean
  balance: { BANDWIDTH: bigint; ENERGY: bigint }
  expireTime: { BANDWIDTH: number; ENERGY: number }
  /** Block time of the latest delegation; the account index is sorted by it. */
  time: number
}

/** A witness: the votes that are counted, and what its voters have earned in this cycle. */
export type Witness = { votes: bigint; reward: bigint; produced: number }

/** Cycles of a voter: rewards are settled up to `begin`, where `votes` were still counted. */
export type Voter = { begin: bigint; end: bigint; votes: readonly Vote[] }

/**
 * The dynamic energy model of one contract (ContractStateCapsule): what it used in a cycle above the
 * threshold raises its factor for the next, everything else lowers it. The factor is in
 * ten-thousandths of what a call costs without it.
 */
export type EnergyModel = {
  factor: number
  usage: bigint
  /** The cycle in which factor and usage were written. */
  cycle: bigint
  /** What the rest of the network uses of the contract in every cycle. */
  others: bigint
}

/** A contract that a transaction brought. There is no EVM: its code lies there, and calls revert. */
export type DeployedContract = NewContract & { contract_address: HexAddress }

export type Total =
  | 'energyWeight'
  | 'netWeight'
  | 'tronPowerWeight'
  | 'burned'
  /** Maintenance periods since genesis, the current one included. */
  | 'cycle'
  /** Time of the next maintenance. */
  | 'maintenance'

type Reader<V> = {
  get(key: string): V | undefined
  entries(): Iterable<[string, V]>
}
type Writer<V> = Reader<V> & { set(key: string, value: V | undefined): void }

type Rows = {
  accounts: Account
  delegations: Delegation
  usdt: bigint
  allowances: bigint
  totals: bigint
  witnesses: Witness
  voters: Voter
  /** By voter: the votes that are counted, while the account has others. */
  countedVotes: readonly Vote[]
  /** By witness and cycle: what one vote has earned since genesis. */
  earnings: bigint
  /** By contract: its share of the dynamic energy model. */
  energyModels: EnergyModel
  deployed: DeployedContract
}
export type TableName = keyof Rows
export const tableNames: readonly TableName[] = [
  'accounts',
  'delegations',
  'usdt',
  'allowances',
  'totals',
  'witnesses',
  'voters',
  'countedVotes',
  'earnings',
  'energyModels',
  'deployed',
]

/** One value for every table. */
function forTables<T>(make: (name: TableName) => unknown): T {
  return Object.fromEntries(tableNames.map((name) => [name, make(name)])) as T
}

export type ReadTables = { readonly [T in TableName]: Reader<Rows[T]> }
export type WriteTables = { readonly [T in TableName]: Writer<Rows[T]> }

/** The tables as they were after one block, and that block's time. */
export type View = { tables: ReadTables; timestamp: number; slot: number }

export function delegationKey(from: HexAddress, to: HexAddress, locked: boolean): string {
  return `${from}${to}${locked ? 'L' : 'U'}`
}

export function total(tables: ReadTables, name: Total): bigint {
  return tables.totals.get(name) ?? 0n
}

type Change = { table: Table<unknown>; key: string; old: unknown; first: boolean }
type Undo = ReadonlyMap<string, unknown>
/** Per table, the value every changed key had before the block. */
type BlockUndo = Record<TableName, Undo>

class Table<V> implements Writer<V> {
  readonly rows = new Map<string, V>()
  /** First old value of each key written since the last sealed block. */
  pending = new Map<string, unknown>()
  readonly #log: Change[]

  constructor(log: Change[]) {
    this.#log = log
  }

  get(key: string): V | undefined {
    return this.rows.get(key)
  }

  entries(): Iterable<[string, V]> {
    return this.rows.entries()
  }

  set(key: string, value: V | undefined): void {
    const old = this.rows.get(key)
    const first = !this.pending.has(key)
    if (first) this.pending.set(key, old)
    this.#log.push({ table: this as Table<unknown>, key, old, first })
    this.restore(key, value)
  }

  restore(key: string, value: V | undefined): void {
    if (value === undefined) this.rows.delete(key)
    else this.rows.set(key, value)
  }
}

/**
 * The chain's state with an undo journal: a savepoint inside the pending block costs nothing but a
 * mark, every sealed block above the solid one can be taken back, and a read of an older state
 * looks through the journals instead of keeping a copy.
 */
export class State {
  readonly #log: Change[] = []
  readonly tables: { readonly [T in TableName]: Table<Rows[T]> }
  /** Undo of the sealed blocks, the newest last. */
  readonly #blocks: BlockUndo[] = []

  constructor() {
    this.tables = forTables(() => new Table(this.#log))
  }

  savepoint(): number {
    return this.#log.length
  }

  rollback(savepoint: number): void {
    while (this.#log.length > savepoint) {
      const { table, key, old, first } = this.#log.pop()!
      table.restore(key, old)
      if (first) table.pending.delete(key)
    }
  }

  /** The changes since the last block become the newest block's. */
  seal(): void {
    this.#blocks.push(this.#takePending())
    this.#log.length = 0
  }

  /** Takes the newest sealed block back. There must be no pending change. */
  undoBlock(): void {
    const block = this.#blocks.pop()
    if (!block || this.#log.length > 0) throw new Error('no sealed block to take back')
    for (const name of tableNames) {
      const table = this.tables[name] as Table<unknown>
      for (const [key, old] of block[name]) table.restore(key, old)
    }
  }

  /** Keeps the undo of the newest `blocks` blocks; the older ones can no longer be taken back. */
  forget(blocks: number): void {
    const surplus = this.#blocks.length - blocks
    if (surplus > 0) this.#blocks.splice(0, surplus)
  }

  get undoableBlocks(): number {
    return this.#blocks.length
  }

  /** The tables as they were `depth` sealed blocks ago; 0 is the head, without pending changes. */
  readAt(depth: number): ReadTables {
    const undo = depth === 0 ? [] : this.#blocks.slice(-depth)
    const read = <T extends TableName>(name: T): Reader<Rows[T]> =>
      new Past(this.tables[name] as Table<Rows[T]>, [
        ...undo.map((block) => block[name]),
        this.tables[name].pending,
      ])
    return forTables(read)
  }

  #takePending(): BlockUndo {
    const take = (name: TableName): Undo => {
      const undo = this.tables[name].pending
      this.tables[name].pending = new Map()
      return undo
    }
    return forTables(take)
  }
}

/** The oldest journal that knows the key knows its value; a key in none has not changed since. */
class Past<V> implements Reader<V> {
  readonly #table: Table<V>
  readonly #undo: readonly Undo[]

  constructor(table: Table<V>, undo: readonly Undo[]) {
    this.#table = table
    this.#undo = undo
  }

  get(key: string): V | undefined {
    for (const undo of this.#undo) if (undo.has(key)) return undo.get(key) as V | undefined
    return this.#table.get(key)
  }

  *entries(): Iterable<[string, V]> {
    const seen = new Set<string>()
    for (const undo of this.#undo) {
      for (const [key, value] of undo) {
        if (!seen.has(key) && value !== undefined) yield [key, value as V]
        seen.add(key)
      }
    }
    for (const [key, value] of this.#table.rows) if (!seen.has(key)) yield [key, value]
  }
}

/** Tables to write on that nobody keeps: a constant call runs on them. */
export function scratch(tables: ReadTables): WriteTables {
  const on = <V>(below: Reader<V>): Writer<V> => {
    const written = new Map<string, V | undefined>()
    return {
      get: (key) => (written.has(key) ? written.get(key) : below.get(key)),
      entries: () => below.entries(),
      set: (key, value) => void written.set(key, value),
    }
  }
  return forTables((name) => on(tables[name] as Reader<unknown>))
}
