// `npm run mutants`: plants one-token bugs, one at a time, and lists those that no test notices.
// Its options are --seed, --count, --room, --list, --only, --cover, --fresh and --lanes.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSlowdown } from '../../scripts/index.ts'
import { attempt } from './attempt.ts'
import { callersIn, filesFor, openState, readCoverage, testsOf, unmeasured } from './coverage.ts'
import { draw } from './draw.ts'
import { equivalentOf } from './equivalent.ts'
import { type Lane, openLane } from './lane.ts'
import { measure } from './measure.ts'
import { type Options, readOptions, USAGE } from './options.ts'
import { changeOf, differenceOf, type Place } from './place.ts'
import { appendResult, type Result, readResults, resultOf } from './record.ts'
import { isGoodEnough, survivorsOf, tableOf } from './report.ts'
import { isParsed, readPlaces } from './sources.ts'

const ROOT = join(import.meta.dirname, '../..')
const RESULTS = join(ROOT, 'proof/mutants/results.jsonl')
const COVERAGE = join(ROOT, '.data/mutants/coverage.json')

const options = readOptions(process.argv.slice(2))
if (typeof options === 'string') {
  console.error(`${options}\n\n${USAGE}`)
  process.exit(2)
}
const scratch = mkdtempSync(join(tmpdir(), 'ergon-mutants-'))
const lanes: Lane[] = []
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void close().then(() => process.exit(130)))
}
let code = 1
try {
  code = await main(options)
} finally {
  await close()
}
process.exit(code)

async function close(): Promise<void> {
  await Promise.all(lanes.map((lane) => lane.close()))
  rmSync(scratch, { recursive: true, force: true })
}

function lane(covered?: string): Lane {
  const opened = openLane(ROOT, join(scratch, `lane-${lanes.length + 1}`), covered)
  lanes.push(opened)
  return opened
}

async function main(wanted: Options): Promise<number> {
  const places = readPlaces(ROOT, wanted.rooms)
  const chosen = wanted.only
    ? places.filter(({ id }) => id === wanted.only)
    : draw(places, wanted.seed, wanted.count)
  if (chosen.length === 0) {
    console.error(`No place has the id ${wanted.only}; --list prints those that are drawn.`)
    return 2
  }
  if (wanted.list) return list(chosen)
  // Time limits of tests grow with the machine's slowdown, as in `npm test`: a slow test must not
  // look like a caught mutant.
  process.env.ERGON_SLOWDOWN_FILE = (await openSlowdown(scratch)).file
  const rooms = [...new Set(chosen.map(({ room }) => room))]
  await cover(wanted.cover ? wanted.rooms : rooms, wanted.lanes)
  if (wanted.cover) return 0
  return wanted.only ? show(chosen[0]!) : plantAll(chosen, wanted)
}

function list(chosen: Place[]): number {
  for (const place of chosen) {
    const { id, file, line, kind, lineText } = place
    console.log(`${id}  ${file}:${line}  ${kind}: ${changeOf(place)}\n  ${lineText}`)
  }
  console.log(`${chosen.length} places`)
  return 0
}

async function cover(rooms: string[], width: number): Promise<void> {
  const state = openState(ROOT)
  const files = unmeasured(ROOT, rooms, { coverage: readCoverage(COVERAGE), state })
  if (files.length === 0) return
  console.log(`== measuring what ${files.length} test files run; this is done once`)
  const folder = join(scratch, 'covered')
  const open = () => lane(folder)
  await measure(files, { folder, path: COVERAGE, state, width, open })
  await Promise.all(lanes.splice(0).map((one) => one.close()))
}

/** The test files for a place, and what is known of them. */
function planOf(place: Place) {
  const coverage = readCoverage(COVERAGE)
  const own = testsOf(ROOT, place.room)
  const files = filesFor(place, { coverage, callers: callersIn(ROOT), own })
  return { root: ROOT, files, coverage }
}

async function show(place: Place): Promise<number> {
  const text = readFileSync(join(ROOT, place.file), 'utf8')
  console.log(`${place.file}:${place.line}  ${place.kind}\n${differenceOf(text, place)}`)
  const { output, ...verdict } = await attempt(lane(), place, planOf(place))
  const { outcome, by, test, tried, untried, seconds } = verdict
  console.log(`tried: ${tried.join(' ')}`)
  if (untried.length > 0) console.log(`no time for: ${untried.join(' ')}`)
  console.log(`${outcome} in ${seconds} s${by ? ` by ${by}: ${test ?? ''}` : ''}\n${output}`)
  appendResult(RESULTS, resultOf(place, verdict, openState(ROOT).all()))
  return outcome === 'caught' ? 0 : 1
}

async function plantAll(chosen: Place[], { fresh, lanes: width }: Options): Promise<number> {
  const state = openState(ROOT).all()
  const known = fresh ? new Map<string, Result>() : readResults(RESULTS, state)
  const real = chosen.filter((place) => !equivalentOf(place) && parses(place))
  const queue = real.filter(({ id }) => !known.has(id))
  const began = performance.now()
  console.log(`== ${real.length} mutants; ${real.length - queue.length} were tried before`)
  let done = 0
  const total = queue.length
  const work = async () => {
    const own = lane()
    await own.start()
    for (let place = queue.shift(); place; place = queue.shift()) {
      const { output: _, ...verdict } = await attempt(own, place, planOf(place))
      const result = resultOf(place, verdict, state)
      appendResult(RESULTS, result)
      known.set(place.id, result)
      done += 1
      console.log(`${done}/${total} ${lineOf(result)}`)
    }
  }
  await Promise.all(Array.from({ length: Math.min(width, total) }, work))
  const results = real.map(({ id }) => known.get(id)!)
  conclude(results, chosen)
  const minutes = ((performance.now() - began) / 60_000).toFixed(1)
  console.log(`\n${minutes} minutes; results are in proof/mutants/results.jsonl; commit them`)
  return isGoodEnough(results) ? 0 : 1
}

function parses(place: Place): boolean {
  return isParsed(readFileSync(join(ROOT, place.file), 'utf8'), place)
}

function lineOf({ id, file, line, kind, change, outcome, by, seconds }: Result): string {
  const whom = by ? ` by ${by}` : ''
  return `${id} ${outcome}${whom} in ${seconds} s: ${file}:${line} ${kind} ${change}`
}

function conclude(results: Result[], chosen: Place[]): void {
  const same = chosen.flatMap((place) => {
    const reason = equivalentOf(place)?.reason
    return reason ? [`${place.file}:${place.line}  ${changeOf(place)}: ${reason}`] : []
  })
  const invalid = results.filter(({ outcome }) => outcome === 'invalid').length
  if (same.length > 0) console.log(`\n== equivalent, not counted\n${same.join('\n')}`)
  if (invalid > 0) console.log(`\n${invalid} refused by the database, not counted`)
  const survivors = survivorsOf(results)
  if (survivors.length > 0) console.log(`\n== survivors\n${survivors.join('\n')}`)
  console.log(`\n${tableOf(results)}`)
}
