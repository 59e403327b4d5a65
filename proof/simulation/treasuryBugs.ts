import type { Bug } from './bug.ts'
import { calmMarkets } from './rates.ts'
import { rewriting } from './rewriting.ts'

const calmly = { crash: 0, breakage: 0, lostRequest: 0, lostAnswer: 0, reorganisation: 0 }

const askedAgain: Bug = {
  name: 'top-up-asked-for-again',
  belief: 'A balance below its floor needs a top-up, whatever became of the last one.',
  scene: 'treasury',
  weather: calmly,
  marketWeather: calmMarkets,
  prepare: ['drop index treasury.one_top_up_at_a_time'],
  intercept: () =>
    rewriting([
      {
        statement: 'treasury.findNeed',
        from: `and state in ('requested', 'solid', 'missing')`,
        to: `and state in ('none')`,
      },
    ]),
}

const anyRise: Bug = {
  name: 'arrived-by-any-rise',
  belief: 'Who has more than before has got the top-up.',
  scene: 'treasury',
  weather: calmly,
  marketWeather: calmMarkets,
  prepare: [],
  intercept: () =>
    rewriting([
      {
        statement: 'treasury.awaitedTopUps',
        from: 'before_sun as before',
        // What it has with a fee of 1 TRX counts as well.
        to: 'before_sun - 1000000 as before',
      },
    ]),
}

const withoutClients: Bug = {
  name: 'surplus-of-clients-money',
  belief:
    'What is on the hot wallet above the ceiling is surplus; clients are on deposit addresses.',
  scene: 'treasury',
  weather: calmly,
  marketWeather: calmMarkets,
  prepare: [],
  intercept: () =>
    rewriting([
      {
        statement: 'ledger.readOwed',
        from: 'select clients, escrow',
        to: 'select clients * 0 as clients, escrow',
      },
    ]),
}

/** Mistakes with surplus and top-ups. */
export const treasuryBugs: readonly Bug[] = [askedAgain, anyRise, withoutClients]
