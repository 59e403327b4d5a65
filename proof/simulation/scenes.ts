import type { CreditLimits } from '../../service/deposits/index.ts'
import { sun } from '../../service/kernel/index.ts'
import {
  actors,
  budgetActors,
  coveringActors,
  fewerActors,
  marketActors,
  redeliveryActors,
  resaleActors,
  stakingActors,
  takingActors,
  treasuryActors,
  wholesaleActors,
} from './actors.ts'
import { runClient, runCrowd, runShopper } from './buyers.ts'
import { openFloats, runSpender } from './floats.ts'
import { calmMarkets, type MarketRates, type Rates } from './rates.ts'
import { runShopkeeper } from './redelivery.ts'
import { runReseller } from './resellers.ts'
import { openBudgets, runSaver } from './savers.ts'
import type { Life } from './scheduler.ts'
import type { Actor, Simulation } from './simulation.ts'
import { runStaker } from './stakers.ts'
import { runSubscriber } from './subscribers.ts'
import { runTaker } from './takers.ts'
import { runThief } from './thieves.ts'
import { COMMISSION, openReferral, runWholesaler } from './wholesalers.ts'

/** The subject of a run: which processes and clients there are, and how time passes. */
export type Scene = {
  actors: readonly Actor[]
  clients: readonly ((sim: Simulation, life: Life) => Promise<void>)[]
  /** Sizes of time jumps, one drawn each time. */
  jumpsMs: readonly number[]
  safetySteps: number
  /** Passes when the faults end, so that every back-off is over. */
  patienceMs: number
  /** Balance of each account at the start, in SUN. */
  purse: bigint
  /** After this long without faults all delegated Energy is reclaimed. */
  restMs: number
  prepare: readonly string[]
  /** Limits of unverified credit, low enough to be reached; absent: the defaults. */
  limits?: CreditLimits
  /** Whether Energy is also bought at marketplaces. */
  hasMarkets: boolean
  /** Whether the hot wallet sends surplus and tops up balances at marketplaces. */
  hasFloats?: boolean
  /** What is done before the first step, besides the accounts. */
  open?: (sim: Simulation) => Promise<void>
  /** Rates that the seed does not draw. */
  weather: Partial<Rates>
  marketWeather?: Partial<MarketRates>
}

const TRX = 1_000_000n
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
/** A minute longer than half an hour: measurements of an address older than that are repeated. */
const HALF_HOUR_MS = 31 * MINUTE_MS
const JUMPS_MS = [4_000, 20_000, 70_000, 130_000]

const buyer =
  (acts: number) =>
  (sim: Simulation, life: Life): Promise<void> =>
    runClient(sim, life, acts)
const crowd = (sim: Simulation, life: Life) => runCrowd(sim, life, 7)
const subscriber = (sim: Simulation, life: Life) => runSubscriber(sim, life, 40)
const thief = (sim: Simulation, life: Life) => runThief(sim, life, 60)
const operator = (sim: Simulation, life: Life) => runStaker(sim, life, 40)
const reseller = (sim: Simulation, life: Life) => runReseller(sim, life, 14)

const spender = (sim: Simulation, life: Life) => runSpender(sim, life, 30)
const wholesaler = (sim: Simulation, life: Life) => runWholesaler(sim, life, 30)
const shopper = (sim: Simulation, life: Life) => runShopper(sim, life, 4)
const taker = (sim: Simulation, life: Life) => runTaker(sim, life, 4)
const saver = (sim: Simulation, life: Life) => runSaver(sim, life, 30)
const shopkeeper = (sim: Simulation, life: Life) => runShopkeeper(sim, life, 9)

/** The world outside answers: what clients do at once with money is the subject. */
const heard: Partial<Rates> = {
  crash: 0.002,
  breakage: 0.002,
  lostRequest: 0,
  lostAnswer: 0,
  slowBroadcast: 0,
  lag: 0,
  moody: 0,
  blind: 0,
  reorganisation: 0,
  stepMs: 10,
  roomEnergy: 50_000_000,
}

const plain = { prepare: [], hasMarkets: false, weather: {} }

const resale = {
  actors: resaleActors,
  clients: [reseller, reseller, buyer(3)],
  jumpsMs: JUMPS_MS,
  safetySteps: 1_000,
  patienceMs: 10 * MINUTE_MS,
  purse: 6_000_000n,
  restMs: HOUR_MS,
  ...plain,
  prepare: ['update agent.terms set min_balance_sun = 0'],
}

export const scenes = {
  trade: {
    actors,
    clients: [buyer(8), buyer(8), buyer(8)],
    jumpsMs: JUMPS_MS,
    safetySteps: 900,
    patienceMs: 0,
    purse: 10_000_000n,
    restMs: HOUR_MS,
    ...plain,
  },
  rush: {
    actors: fewerActors,
    clients: [crowd, crowd, crowd],
    jumpsMs: JUMPS_MS,
    safetySteps: 1_000,
    patienceMs: 0,
    // Enough for most purchases: some are refused because of the one before.
    purse: 60_000_000n,
    restMs: HOUR_MS,
    ...plain,
    // No jumps, so that offers stay fresh, and Energy for all: a refused purchase joins no group.
    weather: { jump: 0, moody: 0, stepMs: 10, roomEnergy: 50_000_000 },
  },
  autoenergy: {
    actors: coveringActors,
    clients: [subscriber, subscriber, buyer(2)],
    jumpsMs: [...JUMPS_MS, 6 * HOUR_MS, 25 * HOUR_MS],
    safetySteps: 1_500,
    patienceMs: 0,
    purse: 40_000_000n,
    // Longer than the idle limit, so that every subscription is closed by then.
    restMs: 72 * HOUR_MS,
    ...plain,
  },
  strangers: {
    actors: coveringActors,
    clients: [thief, thief],
    // Within the half minute of close watching, and past the time of a regular measurement.
    jumpsMs: [...JUMPS_MS, HALF_HOUR_MS],
    safetySteps: 1_500,
    patienceMs: 0,
    purse: 60_000_000n,
    restMs: 72 * HOUR_MS,
    ...plain,
    weather: { stepMs: 10, roomEnergy: 50_000_000 },
  },
  resale,
  // The limit of both accounts together is below the limit of one.
  credit: {
    ...resale,
    limits: {
      account: sun(15n * TRX),
      service: sun(12n * TRX),
      uncounted: sun(2n * TRX),
      shares: 1n,
    },
  },
  market: {
    actors: marketActors,
    clients: [buyer(9), buyer(9)],
    jumpsMs: JUMPS_MS,
    safetySteps: 1_200,
    patienceMs: 10 * MINUTE_MS,
    purse: 25_000_000n,
    restMs: HOUR_MS,
    // Own stake is the most expensive offer, so it delivers only what the marketplaces fail to.
    prepare: [`update providers.provider set unit_price_sun = 40 where name = 'own_stake'`],
    hasMarkets: true,
    // No dropped delegations: the scene `trade` covers their redelivery. Short steps, because
    // offers expire after 15 seconds.
    weather: { drop: 0, stepMs: 30 },
  },
  staking: {
    actors: stakingActors,
    clients: [operator, operator],
    // Past the next count of votes, the day between two claims, and the wait of an unfreezing.
    jumpsMs: [...JUMPS_MS, 7 * HOUR_MS, 25 * HOUR_MS, 15 * 24 * HOUR_MS],
    safetySteps: 1_500,
    // The next attempt of what expired is an hour later.
    patienceMs: 70 * MINUTE_MS,
    purse: 0n,
    restMs: HOUR_MS,
    ...plain,
    weather: { jump: 0.006, moody: 0 },
  },
  treasury: {
    actors: treasuryActors,
    clients: [spender],
    jumpsMs: [...JUMPS_MS, HALF_HOUR_MS],
    safetySteps: 2_500,
    patienceMs: HALF_HOUR_MS,
    // More than the hot wallet keeps for a day: a surplus of clients' money shows.
    purse: 400_000_000n,
    restMs: HOUR_MS,
    prepare: [],
    hasMarkets: true,
    hasFloats: true,
    open: openFloats,
    // A reading takes many steps, and no block may become solid meanwhile.
    weather: { stepMs: 2, lag: 0, moody: 0, blind: 0, jump: 0.02, skewMs: 0 },
  },
  wholesale: {
    actors: wholesaleActors,
    clients: [wholesaler, wholesaler],
    // Past the minute of a quote, too.
    jumpsMs: JUMPS_MS,
    safetySteps: 1_200,
    patienceMs: 0,
    purse: 40_000_000n,
    restMs: HOUR_MS,
    ...plain,
    prepare: [`update orders.referral_terms set basis_points = ${COMMISSION}`],
    open: openReferral,
    weather: { ...heard, jump: 0 },
  },
  redelivery: {
    ...resale,
    actors: redeliveryActors,
    clients: [reseller, shopkeeper],
    safetySteps: 900,
    weather: { ...heard, jump: 0.002, stepMs: 160 },
  },
  taking: {
    actors: takingActors,
    clients: [shopper, taker],
    jumpsMs: JUMPS_MS,
    safetySteps: 300,
    patienceMs: 0,
    // Not enough to be swept.
    purse: 11_000_000n,
    restMs: HOUR_MS,
    prepare: [`update providers.provider set enabled = false where name = 'own_stake'`],
    hasMarkets: true,
    weather: { ...heard, jump: 0.001, stepMs: 30 },
    marketWeather: calmMarkets,
  },
  budgets: {
    actors: budgetActors,
    clients: [saver, saver],
    // From ten in the morning on, and no jump to another day, in which a budget begins anew.
    jumpsMs: [...JUMPS_MS, HALF_HOUR_MS],
    safetySteps: 700,
    patienceMs: 0,
    purse: 40_000_000n,
    restMs: HOUR_MS,
    ...plain,
    open: openBudgets,
    weather: { ...heard, jump: 0, stepMs: 40, skewMs: 0 },
  },
} satisfies Record<string, Scene>

export type SceneName = keyof typeof scenes

const NAMES = Object.keys(scenes) as SceneName[]

/** Scenes in turn, so that any few seeds cover all of them. */
export function sceneOf(seed: number): SceneName {
  return NAMES[(seed - 1) % NAMES.length]!
}
