import type { HexAddress } from '@ergon/tron'
import type { Behaviour, Script } from './behaviour.ts'
import type { Delegation, Sent } from './delegator.ts'

/**
 * An order of a stand-in. `paid`: accepted, nothing sent · `sent`: a delegation is on its way ·
 * `done`: delegated, or said to be · `ended`: over with less than was ordered.
 */
export type Order = {
  id: string
  /** The client's own reference, where the marketplace takes one. */
  reference: string | undefined
  receiver: HexAddress
  energy: bigint
  /** Charged when it was accepted. */
  cost: bigint
  refund: bigint
  behaviour: Behaviour
  /** Wall time, milliseconds. */
  acceptedAt: number
  /** Nothing is delegated before: wall time, and chain time. */
  notBefore: { wall: number; chain: number }
  state: 'paid' | 'sent' | 'done' | 'ended'
  delegation: Delegation | undefined
  /** Chain time of the block that holds the delegation. */
  delegatedAt: number | undefined
  reclaim: Sent | undefined
  /** True once the stake is back, or was never lent. */
  closed: boolean
  room: Script['room']
}

/** A script that delegates later than this holds the order: nobody who moves the clock waits for it. */
const heldMs = 20_000

/** Whether the script keeps the order from its delegation: for ever, until a chain time, or for long. */
export function isHeld({ behaviour, state, notBefore }: Order, wallMs: number): boolean {
  if (behaviour === 'lost_delegation') return true
  if (state !== 'paid') return false
  return behaviour === 'late' || notBefore.wall - wallMs > heldMs
}

/** Energy that the order's delegation is about: half of it when that is the script. */
export function energyToDelegate({ behaviour, energy }: Order): bigint {
  return behaviour === 'partial' ? energy / 2n : energy
}

/** Energy delegated so far. */
export function delegatedEnergy({ state, delegation }: Order): bigint {
  return state === 'done' || state === 'ended' ? (delegation?.energy ?? 0n) : 0n
}
