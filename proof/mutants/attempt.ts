import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Coverage } from './coverage.ts'
import type { Lane } from './lane.ts'
import type { Answer } from './laneProgram.ts'
import { type Place, plant } from './place.ts'
import type { Verdict } from './record.ts'

/** The most seconds of test files for one mutant. */
const SECONDS_MAX = 240

/** Time limit: three healthy runs and a bit. A mutant that makes a test wait longer is caught. */
export const limitMsOf = (seconds: number) => Math.ceil((3 * seconds + 20) * 1_000)

type Attempt = { root: string; files: string[]; coverage: Coverage }

/** Plants one mutant in a lane, runs test files until one fails, and removes it again. */
export async function attempt(
  lane: Lane,
  place: Place,
  options: Attempt,
): Promise<Verdict & { output: string }> {
  const began = performance.now()
  const text = readFileSync(join(options.root, place.file), 'utf8')
  const written = await lane.write(place.file, plant(text, place), place.inStatement)
  const verdict =
    written.state === 'green'
      ? await run(lane, place, options)
      : { outcome: 'invalid' as const, tried: [], untried: [], output: written.output ?? '' }
  const restored = await lane.write(place.file, text)
  if (restored.state !== 'green') await lane.restart()
  return { ...verdict, seconds: Math.round((performance.now() - began) / 100) / 10 }
}

async function run(lane: Lane, place: Place, { root, files, coverage }: Attempt) {
  const tried: string[] = []
  const untried: string[] = []
  let left = SECONDS_MAX
  for (const file of files) {
    const healthy = coverage[file]!.seconds
    if (healthy > left) {
      untried.push(file)
      continue
    }
    const began = performance.now()
    const limitMs = limitMsOf(healthy)
    const { state, test, output = '' } = await judged(lane, file, limitMs)
    left -= (performance.now() - began) / 1_000
    if (isDoubtful(state, output) && (await isRedAnyway(lane, place, { root, file, limitMs }))) {
      untried.push(file)
      continue
    }
    tried.push(file)
    if (state === 'green') continue
    const by = { by: file, test: state === 'time' ? 'by time' : test }
    return { outcome: 'caught' as const, ...by, tried, untried, output }
  }
  const refused = await refusedByTypes(lane, place)
  if (refused) return { outcome: 'caught' as const, by: 'tsc', tried, untried, output: refused }
  const outcome = tried.length > 0 ? ('survived' as const) : ('untested' as const)
  return { outcome, tried, untried, output: '' }
}

/** A timeout may be the machine's fault. */
const isDoubtful = (state: Answer['state'], output: string) =>
  state === 'time' || (state === 'red' && /in vain|timed out/i.test(output))

/** Runs the file once more without the mutant, and plants it again. */
async function isRedAnyway(
  lane: Lane,
  place: Place,
  { root, file, limitMs }: { root: string; file: string; limitMs: number },
): Promise<boolean> {
  const text = readFileSync(join(root, place.file), 'utf8')
  await lane.write(place.file, text)
  const { state } = await lane.test(file, limitMs)
  await lane.write(place.file, plant(text, place), place.inStatement)
  return state !== 'green'
}

/** A lane that ended by itself proves nothing: it is restarted, still with the mutant. */
async function judged(lane: Lane, file: string, limitMs: number): Promise<Answer> {
  const answer = await lane.test(file, limitMs)
  return answer.state === 'gone' ? lane.test(file, limitMs) : answer
}

/** A bug that does not compile cannot be shipped. Checked last: it takes as long as a test file. */
function refusedByTypes(lane: Lane, place: Place): Promise<string | undefined> {
  const { file, inStatement } = place
  if (inStatement || !file.endsWith('.ts')) return Promise.resolve(undefined)
  const tsc = join(lane.folder, 'node_modules/.bin/tsc')
  return new Promise((resolve) => {
    execFile(tsc, ['--noEmit'], { cwd: lane.folder }, (_error, out) =>
      resolve(out.includes(file) ? out : undefined),
    )
  })
}
