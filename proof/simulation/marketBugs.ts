import type { Bug } from './bug.ts'
import { isOrder } from './markets.ts'
import { calmMarkets } from './rates.ts'
import { rewriting } from './rewriting.ts'

/** Marketplaces are reachable unless the bug needs otherwise, so most orders go to them. */
const fair = { crash: 0, breakage: 0, jump: 0, moody: 0, lag: 0, reorganisation: 0 }

const resendToMarket: Bug = {
  name: 'resend-to-a-marketplace',
  belief: 'A request without an answer is sent again, as with any other server.',
  scene: 'market',
  weather: fair,
  marketWeather: { ...calmMarkets, lostAnswer: 0.4 },
  prepare: [],
  spoil: (wire) => async (name, request) => {
    try {
      return await wire(name, request)
    } catch (error) {
      if (!isOrder(name, request)) throw error
      return wire(name, request)
    }
  },
}

const believeNotFound: Bug = {
  name: 'believe-not-found',
  belief: 'What a marketplace does not find under our number it has never got.',
  scene: 'market',
  weather: fair,
  marketWeather: { ...calmMarkets, slowOrder: 0.9, lagMs: 12_000 },
  prepare: [],
  intercept: () =>
    rewriting([
      {
        statement: 'delivery.recordNever',
        from: 'called_at + make_interval(secs => $2 / 1000.0) <= clock_timestamp()',
        to: '$2::float8 > 0',
      },
    ]),
}

const silenceIsRefusal: Bug = {
  name: 'silence-is-a-refusal',
  belief: 'Who does not answer has not taken the order, so it goes to somebody else.',
  scene: 'market',
  weather: fair,
  marketWeather: { ...calmMarkets, lostAnswer: 0.4 },
  prepare: [],
  intercept: () =>
    rewriting([
      {
        statement: 'delivery.recordLost',
        from: `update delivery.attempt
     set state = 'unknown', told = $2, look_at = clock_timestamp() + interval '1 second'
   where id = $1 and state = 'sending'`,
        to: `with gone as (
       update delivery.attempt set state = 'absent', told = $2, look_at = null
        where id = $1 and state = 'sending' returning part_id)
     update delivery.part set state = 'failed', reason = $2 from gone where delivery.part.id = gone.part_id`,
      },
    ]),
}

const bookThePlan: Bug = {
  name: 'book-what-was-planned',
  belief: 'An order costs what it was planned to cost.',
  scene: 'market',
  weather: fair,
  marketWeather: { ...calmMarkets, priceMove: 0.5 },
  prepare: [],
  intercept: () =>
    rewriting([
      {
        statement: 'delivery.recordAccepted',
        from: 'cost_sun = coalesce($3, cost_sun)',
        to: 'cost_sun = case when $3::bigint is null then cost_sun else cost_sun end',
      },
      {
        statement: 'delivery.recordWord',
        from: 'cost_sun = coalesce($4, cost_sun)',
        to: 'cost_sun = case when $4::bigint is null then cost_sun else cost_sun end',
      },
    ]),
}

/** Mistakes in buying from marketplaces. */
export const marketBugs: readonly Bug[] = [
  resendToMarket,
  believeNotFound,
  silenceIsRefusal,
  bookThePlan,
]
