import { noUsage, remaining, type Usage, undelegate, unitsOfStake, use } from '@ergon/devnet'

// The Energy of one address by the network's own formulas, without the rest of a chain.

/** 10 Energy for one TRX, as in the sandbox. */
export const POOL = { limit: 180_000_000_000n, weight: 18_000_000_000n }
const SLOT_MS = 3_000
const SUN_PER_ENERGY = 100_000n

type Move = { kind: 'delegate' | 'reclaim'; stake: bigint }
export type ModelBlock = {
  number: bigint
  time: Date
  /** Energy used by calls of the address itself, and Energy taken by strangers. */
  own: bigint
  others: bigint
  moves: Move[]
}
type State = { stake: bigint; usage: Usage }

/** The planned contents of a block, in order. */
export type Planned = { what: 'own' | 'others'; energy: bigint } | { what: 'move'; move: Move }

export class AddressOnChain {
  readonly blocks: ModelBlock[] = []
  readonly #states: State[] = []
  #owner: Usage = noUsage
  #nowMs = Date.UTC(2030, 0, 1)
  /** Energy that strangers took from the address since the start. */
  others = 0n

  constructor() {
    this.mine([])
  }

  get head(): ModelBlock {
    return this.blocks.at(-1)!
  }

  pass(ms: number): void {
    this.#nowMs += ms
  }

  /** Calls take at most the Energy that is there. */
  mine(planned: readonly Planned[]): ModelBlock {
    this.#nowMs += SLOT_MS
    const slot = this.#slot()
    const state: State = { ...(this.#states.at(-1) ?? { stake: 0n, usage: noUsage }) }
    const number = BigInt(this.blocks.length)
    const block: ModelBlock = {
      number,
      time: new Date(this.#nowMs),
      own: 0n,
      others: 0n,
      moves: [],
    }
    for (const one of planned) {
      if (one.what === 'move') {
        this.#move(state, one.move, slot)
        block.moves.push(one.move)
        continue
      }
      const left = unitsOfStake(state.stake, POOL) - remaining(state.usage, slot)
      const taken = one.energy < left ? one.energy : left
      if (taken <= 0n) continue
      state.usage = use(state.usage, taken, slot)
      block[one.what] += taken
      if (one.what === 'others') this.others += taken
    }
    this.blocks.push(block)
    this.#states.push(state)
    return block
  }

  /** The values a node shows when this block is its head. */
  measured(number: bigint): { limit: bigint; used: bigint } {
    const { stake, usage } = this.#states[Number(number)]!
    const slot = Math.floor(this.blocks[Number(number)]!.time.getTime() / SLOT_MS)
    return { limit: unitsOfStake(stake, POOL), used: remaining(usage, slot) }
  }

  #move(state: State, { kind, stake }: Move, now: number): void {
    if (kind === 'delegate') {
      state.stake += stake
      return
    }
    const change = { owner: this.#owner, receiver: state.usage, receiverStake: state.stake }
    const after = undelegate({ ...change, amount: stake, pool: POOL, now })
    this.#owner = after.owner
    state.usage = after.receiver
    state.stake -= stake
  }

  #slot(): number {
    return Math.floor(this.#nowMs / SLOT_MS)
  }
}

export const stakeFor = (energy: bigint) => energy * SUN_PER_ENERGY
