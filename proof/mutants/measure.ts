import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { type Coverage, readCoverage, type State, writeCoverage } from './coverage.ts'
import type { Lane } from './lane.ts'
import type { Answer } from './laneProgram.ts'

/** Time limit: no healthy file takes as long on two cores. */
const LIMIT_MS = 600_000

type Measuring = {
  /** The folder into which tests write what they ran. */
  folder: string
  /** The file with all measurements. */
  path: string
  state: State
  width: number
  open(): Lane
}

/** Runs each file once without a mutant, and keeps what it runs and how long it takes. */
export async function measure(files: string[], options: Measuring): Promise<void> {
  const { folder, path, state, width, open } = options
  mkdirSync(folder, { recursive: true })
  const queue = [...files]
  const work = async () => {
    const lane = open()
    await lane.start()
    for (let file = queue.shift(); file; file = queue.shift()) {
      const { seconds, ...answer } = await timed(lane, file)
      const green = answer.state === 'green'
      const ran = ranBy(folder, join(lane.folder, file), lane.folder)
      // Written after each file, so that an interrupted measurement can continue.
      const coverage: Coverage = readCoverage(path)
      coverage[file] = { state: state.of(file), seconds, green, ...ran }
      writeCoverage(path, coverage)
      const words = green ? '' : `  RED without a mutant, not used: ${answer.output?.slice(0, 300)}`
      console.log(`${seconds} s  ${file}${words}`)
    }
  }
  await Promise.all(Array.from({ length: Math.min(width, files.length) }, work))
}

/** A failed file is rerun once: on a busy machine it may fail by accident. */
async function timed(
  lane: Lane,
  file: string,
  again = true,
): Promise<Answer & { seconds: number }> {
  const began = performance.now()
  const answer = await lane.test(file, LIMIT_MS)
  const seconds = Math.round((performance.now() - began) / 100) / 10
  return answer.state === 'green' || !again ? { ...answer, seconds } : timed(lane, file, false)
}

type Ran = { functions: Record<string, string[]>; sql: string[] }

function ranBy(folder: string, file: string, tree: string): Ran {
  for (const name of readdirSync(folder)) {
    const output: Ran & { file: string } = JSON.parse(readFileSync(join(folder, name), 'utf8'))
    if (relative(tree, output.file) !== relative(tree, file)) continue
    rmSync(join(folder, name))
    return { functions: output.functions, sql: output.sql }
  }
  return { functions: {}, sql: [] }
}
