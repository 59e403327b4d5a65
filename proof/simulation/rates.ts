import type { Seeded } from '../testing/seeded.ts'

/** Probabilities of faults, per step or per call. Drawn from the seed, some of them zero. */
export type Rates = {
  crash: number
  /** The connection to the database breaks, before or after the statement took effect. */
  breakage: number
  lostRequest: number
  lostAnswer: number
  slowBroadcast: number
  lag: number
  reorganisation: number
  /** Share of the transactions in a reorganisation that are dropped. */
  drop: number
  jump: number
  /** Scanners stand still for two minutes while the others work. */
  blind: number
  /** A provider starts to refuse, goes down, or recovers. */
  moody: number
  /** Clocks of processes differ by at most this much, either way. */
  skewMs: number
  /** At most this much time passes at a step. */
  stepMs: number
  /** An idle process is woken early, as a notification in the same process would wake it. */
  wake: number
  /** Energy that our own stake can have delegated at once. */
  roomEnergy: number
}

/** No faults, and time passes evenly. */
export const calm: Rates = {
  crash: 0,
  breakage: 0,
  lostRequest: 0,
  lostAnswer: 0,
  slowBroadcast: 0,
  lag: 0,
  reorganisation: 0,
  drop: 0,
  jump: 0,
  blind: 0,
  moody: 0,
  skewMs: 0,
  stepMs: 10,
  wake: 0,
  roomEnergy: 50_000_000,
}

/** Most faults are off in most runs: rare combinations need the others out of the way. */
export function drawRates(random: Seeded): Rates {
  const upTo = (most: number) => (random.once(2) ? 0 : most * random.fraction())
  return {
    crash: upTo(0.03),
    breakage: upTo(0.03),
    lostRequest: upTo(0.2),
    lostAnswer: upTo(0.2),
    slowBroadcast: upTo(0.5),
    lag: upTo(0.3),
    reorganisation: upTo(0.02),
    drop: upTo(0.8),
    jump: upTo(0.005),
    blind: random.once(4) ? 0.003 * random.fraction() : 0,
    moody: upTo(0.01),
    skewMs: random.pick([0, 0, 500, 2_000]),
    stepMs: random.pick([30, 80, 160]),
    wake: random.pick([0, 0.1, 0.4]),
    roomEnergy: random.pick([200_000, 500_000, 50_000_000]),
  }
}

/** Probabilities of faults at marketplaces, per request or per order. */
export type MarketRates = {
  lostRequest: number
  /** The request takes effect and the answer is lost. */
  lostAnswer: number
  /** An order arrives after the caller has stopped waiting. */
  slowOrder: number
  refuse: number
  partial: number
  /** An order is delegated after its deadline. */
  late: number
  /** How long a search misses an order that exists. */
  lagMs: number
  /** A price changes, per block. */
  priceMove: number
}

export const calmMarkets: MarketRates = {
  lostRequest: 0,
  lostAnswer: 0,
  slowOrder: 0,
  refuse: 0,
  partial: 0,
  late: 0,
  lagMs: 0,
  priceMove: 0,
}

export function drawMarketRates(random: Seeded): MarketRates {
  const upTo = (most: number) => (random.once(2) ? 0 : most * random.fraction())
  return {
    lostRequest: upTo(0.3),
    lostAnswer: upTo(0.4),
    slowOrder: upTo(0.5),
    refuse: upTo(0.3),
    partial: upTo(0.3),
    late: upTo(0.3),
    lagMs: random.pick([0, 4_000, 12_000]),
    priceMove: random.pick([0, 0.1, 0.3]),
  }
}
