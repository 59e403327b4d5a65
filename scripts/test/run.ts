// `npm test`: the checks at once, then every layer of tests in order; all run even when one is red, except in CI, where
// a red run has to end soon. `npm test -- orders` runs the tests of one room or path and nothing else. No run is red for being slow: expected times are printed
// beside the real ones, and only a file that makes no progress at all is ended.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { endWithThisProcess, startProgram } from './child.ts'
import { allLayers, type Layer, layerOf, missingFor, quickLayers, type Suite } from './layers.ts'
import { openSlowdown, type Slowdown } from './slowdown.ts'
import { type Counts, type FailedFile, type RunOptions, runSuite } from './suite.ts'

/** More failed files than this are no accident of the machine, and are not run again. */
const RERUN_FILES_MAX = 5
const SILENCE_SECONDS = 300
/** In CI a layer ends after so many failed tests: one that waits in vain takes minutes, and a slow machine stretches them. */
const FAILED_TESTS_MAX_IN_CI = 10
/** Of what a red file said, so much is repeated at the end of the run. */
const REPEATED_LINES = 25

const isCi = process.env.CI === 'true'
const scratch = mkdtempSync(join(tmpdir(), 'ergon-run-'))
const lastLines: string[] = []

type Result = { green: boolean; counts: Counts }
const NONE: Counts = { passed: 0, failed: 0, skipped: 0 }

async function runLayer(layer: Layer, slowdown: Slowdown): Promise<Result> {
  const missing = missingFor(layer)
  if (missing) {
    lastLines.push(`${isCi ? 'RED' : 'SKIPPED'} ${layer.name}: ${missing}`)
    return { green: !isCi, counts: isCi ? { ...NONE, failed: 1 } : NONE }
  }
  console.log(`\n== ${layer.name}`)
  const began = performance.now()
  const result =
    'files' in layer ? await runFiles(layer, slowdown) : await runCheck(layer, slowdown)
  const took = ((performance.now() - began) / 1000).toFixed(1)
  const colour = result.green ? 'green' : 'RED'
  console.log(`== ${layer.name} ${colour} in ${took} s (expected ${layer.expectedSeconds} s)`)
  if (layer.name === 'browser') console.log('   screenshots of every page: artefacts/*.png')
  return result
}

/** A command says nothing while it works, so its time is its silence. */
async function runCheck({ name, command }: { name: string; command: string[] }, slow: Slowdown) {
  const child = startProgram(command, {})
  const limitSeconds = SILENCE_SECONDS * slow.factor
  const timer = setTimeout(() => {
    lastLines.push(`ENDED ${name}: no end within ${Math.round(limitSeconds)} s`)
    child.end()
  }, limitSeconds * 1_000)
  const { green } = await child.ended
  clearTimeout(timer)
  if (!green) lastLines.push(`RED ${name}`)
  return { green, counts: { ...NONE, failed: green ? 0 : 1 } }
}

async function runFiles({ files }: Suite, slowdown: Slowdown): Promise<Result> {
  const bail = isCi ? ['--bail', String(FAILED_TESTS_MAX_IN_CI)] : []
  const options = { scratch, slowdown, silenceSeconds: SILENCE_SECONDS, vitest: bail }
  const { green, counts, failed, ended } = await runSuite(files, options)
  for (const file of ended) lastLines.push(`ENDED ${file}: it made no progress and was stopped`)
  if (green) return { green, counts }
  // A file that cannot be loaded has no failed test to its name.
  const red = { green: false, counts: { ...counts, failed: Math.max(1, counts.failed) } }
  if (ended.length > 0 || failed.length === 0 || failed.length > RERUN_FILES_MAX) {
    for (const one of failed) lastLines.push(`RED ${one.file}`, firstLines(one.output))
    return red
  }
  if (!(await passAlone(failed, options)) || isCi) return red
  return { green: true, counts: { ...counts, passed: counts.passed + counts.failed, failed: 0 } }
}

/**
 * Failed files are rerun once, alone: two cores shared by three hundred files can starve one of them.
 * A file that passes alone is UNSTEADY: a warning here, a failure in CI.
 */
async function passAlone(failed: FailedFile[], options: RunOptions): Promise<boolean> {
  const files = failed.map(({ file }) => file)
  console.log(`\n== once more, alone: ${files.join(' ')}`)
  const again = await runSuite(files, { ...options, alone: true })
  const stillRed = new Set(again.failed.map(({ file }) => file))
  for (const { file, output } of failed) {
    const verdict = stillRed.has(file)
      ? `RED ${file}: beside others and alone`
      : `UNSTEADY ${file}: red beside others, green alone`
    lastLines.push(verdict, firstLines(output))
  }
  return again.green
}

const firstLines = (output: string) => output.split('\n').slice(0, REPEATED_LINES).join('\n')

function layersFor(wanted: string | undefined): Layer[] {
  if (wanted === undefined) return allLayers()
  if (wanted === '--quick') return quickLayers()
  return [layerOf(wanted)].filter((layer) => layer !== undefined)
}

async function main(wanted: string | undefined): Promise<boolean> {
  const layers = layersFor(wanted)
  if (layers.length === 0) {
    console.error(`No test lives in "${wanted}"; name a room such as orders, or a path.`)
    return false
  }
  const slowdown = await openSlowdown(scratch)
  console.log(`== waits and limits are stretched by ${slowdown.factor} on this machine`)
  const total = { ...NONE }
  let green = true
  const count = (result: Result) => {
    green &&= result.green
    for (const kind of ['passed', 'failed', 'skipped'] as const) total[kind] += result.counts[kind]
  }
  // Each of the checks keeps one core busy, and they do not need each other.
  const checks = layers.filter((layer) => 'command' in layer)
  for (const result of await Promise.all(checks.map((one) => runLayer(one, slowdown))))
    count(result)
  for (const layer of layers) {
    if (!('files' in layer)) continue
    if (green || !isCi) count(await runLayer(layer, slowdown))
    else lastLines.push(`NOT RUN ${layer.name}: something before it is red`)
  }
  const minutes = (performance.now() / 60_000).toFixed(1)
  const verdict = green ? 'All layers are green' : 'Something is red'
  console.log(`\n${verdict}, in ${minutes} minutes; stretched by ${slowdown.factor} in the end.`)
  const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : ''
  for (const line of lastLines) console.log(line)
  console.log(`${total.passed} passed, ${total.failed} failed${skipped}`)
  return green
}

endWithThisProcess()
const green = await main(process.argv[2])
rmSync(scratch, { recursive: true, force: true })
process.exitCode = green ? 0 : 1
