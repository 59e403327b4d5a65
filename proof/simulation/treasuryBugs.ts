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

const onceSolid: Bug = {
  name: 'arrived-once-solid',
  belief: 'A transfer in a solid block is in the balance; nobody has to look at it.',
  scene: 'treasury',
  weather: calmly,
  marketWeather: calmMarkets,
  prepare: [],
  intercept: () =>
    rewriting([
      {
        statement: 'treasury.awaitedTopUps',
        from: 'before_sun as before',
        // The balance as it was counts as one that has risen.
        to: 'before_sun - amount_sun as before',
      },
    ]),
}

/** Mistakes with surplus and top-ups. */
export const treasuryBugs: readonly Bug[] = [askedAgain, onceSolid]
