import { parseArgs } from 'node:util'
import { bugs } from './bugs.ts'
import { openServer } from './database.ts'
import { exhaust } from './exhaust.ts'
import { hunt, isMoved } from './hunt.ts'
import { type SceneName, scenes } from './scenes.ts'
import { type Outcome, simulate } from './simulate.ts'

/**
 * npm run sim -- --seeds 200        that many seeds, from 1 on or from --seed on
 * npm run sim -- --seed 7 --trace   one seed, with everything that happened
 * npm run sim -- --scene resale    only that scene; otherwise the seeds take turns
 * npm run sim -- --bugs             every planted bug and the seed that finds it
 * npm run sim -- --exhaustive       one run per step, with a crash exactly there
 */
const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    seeds: { type: 'string', default: '1' },
    bug: { type: 'string' },
    scene: { type: 'string' },
    trace: { type: 'boolean', default: false },
    bugs: { type: 'boolean', default: false },
    exhaustive: { type: 'boolean', default: false },
  },
})

const LANES = 2
const TAIL = 80

const server = await openServer()
process.once('SIGINT', () => void server.stop().then(() => process.exit(130)))
try {
  if (values.bugs) await findBugs()
  else if (values.exhaustive) await everyCrash()
  else await runSeeds(Number(values.seed), Number(values.seeds))
} finally {
  await server.stop()
}
// Crashed processes leave timers that would keep this process running.
process.exit()

async function runSeeds(first: number, count: number): Promise<void> {
  const bug = bugs.find(({ name }) => name === values.bug)
  if (values.bug && !bug) throw new Error(`no planted bug is called ${values.bug}`)
  const scene = values.scene as SceneName | undefined
  if (scene && !(scene in scenes)) throw new Error(`no scene is called ${scene}`)
  const startedMs = performance.now()
  let [next, steps, broken] = [first, 0, 0]
  const lane = async () => {
    while (next < first + count) {
      const outcome = await simulate(server, { seed: next++, scene, bug })
      steps += outcome.steps
      if (outcome.violation !== undefined) broken += 1
      print(outcome, count === 1)
    }
  }
  await Promise.all(Array.from({ length: LANES }, lane))
  const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1)
  console.log(`${count} seeds, ${steps} steps, ${seconds} s, ${broken} broke a promise`)
  if (broken > 0 && !bug) process.exitCode = 1
}

function print({ trace, ...outcome }: Outcome, alone: boolean): void {
  const {
    seed,
    scene,
    hash,
    steps,
    crashes,
    orders,
    deposits,
    violation,
    coverage,
    resale,
    markets,
    staking,
  } = outcome
  if (values.trace) console.log(trace.join('\n'))
  else if (violation !== undefined && alone) console.log(trace.slice(-TAIL).join('\n'))
  const did = `${orders.completed} completed, ${orders.failed} refunded, ${deposits.verified} deposits, ${deposits.reverted} reverted`
  const covering = { autoenergy: coverage, strangers: coverage, budgets: coverage }
  const reselling = { resale, credit: resale }
  const more = {
    ...covering,
    ...reselling,
    trade: {},
    rush: {},
    market: markets,
    staking,
    treasury: markets,
    wholesale: {},
    redelivery: resale,
    taking: markets,
  }[scene]
  const listed = Object.entries(more).map(([what, count]) => `, ${count} ${what}`)
  const verdict = violation === undefined ? 'held' : `BROKEN: ${violation.split('\n')[0]}`
  console.log(
    `seed ${seed} ${scene}  ${hash}  ${steps} steps, ${crashes} crashes, ${did}${listed.join('')}  ${verdict}`,
  )
}

async function findBugs(): Promise<void> {
  const seeds: string[] = []
  let isAnyMoved = false
  const queue = bugs.filter(({ name }) => values.bug === undefined || values.bug === name)
  const lane = async () => {
    for (let bug = queue.shift(); bug; bug = queue.shift()) {
      const found = await hunt(server, bug)
      const sentence = found?.violation?.split('\n')[0] ?? 'NO'
      const moved = found && isMoved(bug, found) ? ' (moved)' : ''
      seeds.push(`  '${bug.name}': ${found?.seed},`)
      isAnyMoved ||= moved !== ''
      console.log(
        `${bug.name}\n  believed: ${bug.belief}\n  seed:     ${found?.seed}${moved}\n  caught:   ${sentence}`,
      )
      if (!found) process.exitCode = 1
    }
  }
  await Promise.all(Array.from({ length: LANES }, lane))
  if (isAnyMoved) console.log(`\nTo be written into regressions.ts:\n${seeds.sort().join('\n')}`)
}

async function everyCrash(): Promise<void> {
  const { points, broken, seconds } = await exhaust(server, { lanes: LANES })
  for (const sentence of broken) console.log(sentence)
  console.log(`${points} crash points, ${seconds.toFixed(1)} s, ${broken.length} broke a promise`)
  if (broken.length > 0) process.exitCode = 1
}
