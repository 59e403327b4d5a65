// The resource model of java-tron's ResourceProcessor with Stake 2.0 and proposal 77 (increaseV2)
// on: integer steps, ceilings and the few places where java computes in doubles are kept as they
// are, because a figure that is off by one is a figure a client can tell from a node's.

/** What an account has used of one resource: the amount at `slot`, recovering over `window`. */
export type Usage = {
  used: bigint
  /** Slot of 3 seconds since genesis in which `used` was last written. */
  slot: number
  /** Thousandths of a slot in which `used` recovers to nothing; 0 means never set, so 24 hours. */
  window: bigint
}

export const noUsage: Usage = { used: 0n, slot: 0, window: 0n }

export const trx = 1_000_000n
const precision = 1_000_000n
const windowSlots = 28_800n
const windowPrecision = 1_000n
const fullWindow = windowSlots * windowPrecision

/** The part of the usage that has not recovered by `now`. */
export function remaining(usage: Usage, now: number): bigint {
  const slots = slotsOf(usage.window)
  return (decayed(usage, slots, now) * slots) / precision
}

/** The same for the free bandwidth, whose window is always 24 hours. */
export function remainingFree(usage: Usage, now: number): bigint {
  return (decayed(usage, windowSlots, now) * windowSlots) / precision
}

/** Usage after `amount` more is used: a weighted mean of the old window and a full one. */
export function use(usage: Usage, amount: bigint, now: number): Usage {
  const slots = slotsOf(usage.window)
  const average = decayed(usage, slots, now)
  const averageNew = divideCeil(amount * precision, windowSlots)
  const used = (average * slots + averageNew * windowSlots) / precision
  const kept = (average * slots) / precision
  if (kept === 0n) return { used, slot: now, window: fullWindow }
  const windowLeft = windowOf(usage) - BigInt(now - usage.slot) * windowPrecision
  const window = divideCeil(kept * windowLeft + amount * fullWindow, used)
  return { used, slot: now, window: min(window, fullWindow) }
}

/** java recovers first and adds in a second step, so the two roundings do not cancel. */
export function useFree(usage: Usage, amount: bigint, now: number): Usage {
  const kept = remainingFree(usage, now)
  const average = divideCeil(kept * precision, windowSlots)
  const averageNew = divideCeil(amount * precision, windowSlots)
  return { used: ((average + averageNew) * windowSlots) / precision, slot: now, window: 0n }
}

export type Pool = { limit: bigint; weight: bigint }

/** Units of the resource that a stake gives, in doubles and truncated as java casts to long. */
export function unitsOfStake(stakeSun: bigint, { limit, weight }: Pool): bigint {
  if (weight === 0n) return 0n
  return truncate((Number(stakeSun) / 1e6) * (Number(limit) / Number(weight)))
}

/** The stake that stands for a usage; what is delegated must leave this much behind. */
export function stakeOfUnits(units: bigint, { limit, weight }: Pool): bigint {
  return truncate(Number(units * trx) * (Number(weight) / Number(limit)))
}

export type Undelegation = {
  owner: Usage
  receiver: Usage
  /** Everything that gives the receiver this resource, before the stake leaves. */
  receiverStake: bigint
  amount: bigint
  pool: Pool
  now: number
}

/**
 * Used Energy follows the stake back: the receiver's usage is split by the share of the stake that
 * leaves, and the owner takes its part over with the receiver's remaining window, not a fresh one.
 */
export function undelegate(change: Undelegation): { owner: Usage; receiver: Usage } {
  const { amount, receiverStake, pool, now } = change
  const receiver = use(change.receiver, 0n, now)
  const share = truncate(Number(receiver.used) * (Number(amount) / Number(receiverStake)))
  const moved = min(unitsOfStake(amount, pool), share)
  const left = { ...receiver, used: receiver.used - moved }
  if (moved <= 0n) return { owner: change.owner, receiver: left }
  const owner = use(change.owner, 0n, now)
  const used = owner.used + moved
  const window = divideCeil(
    owner.used * positive(windowOf(owner)) + moved * positive(windowOf(left)),
    used,
  )
  return { owner: { used, slot: now, window: min(window, fullWindow) }, receiver: left }
}

/** Average usage per slot (times the precision) that is left after the elapsed slots. */
function decayed(usage: Usage, slots: bigint, now: number): bigint {
  const average = divideCeil(usage.used * precision, slots)
  const elapsed = now - usage.slot
  if (elapsed === 0) return average
  const window = Number(slots)
  if (elapsed >= window) return 0n
  return BigInt(Math.round(Number(average) * ((window - elapsed) / window)))
}

function windowOf(usage: Usage): bigint {
  return usage.window === 0n ? fullWindow : usage.window
}

// A window below one slot would divide by zero; java takes 24 hours then.
function slotsOf(window: bigint): bigint {
  return window < windowPrecision ? windowSlots : window / windowPrecision
}

function divideCeil(numerator: bigint, denominator: bigint): bigint {
  return numerator / denominator + (numerator % denominator > 0n ? 1n : 0n)
}

function truncate(value: number): bigint {
  return BigInt(Math.trunc(value))
}

function min(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}

function positive(value: bigint): bigint {
  return value < 0n ? 0n : value
}
