// Runs test files with Vitest. A file that makes no progress for long is ended and named; the rest goes on.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { endTree, startProgram } from './child.ts'
import { ROOT } from './layers.ts'
import { processorLines } from './processor.ts'
import type { Progress } from './progress.ts'
import type { Slowdown } from './slowdown.ts'

export type Counts = { passed: number; failed: number; skipped: number }
export type FailedFile = { file: string; output: string }
export type SuiteResult = { green: boolean; counts: Counts; failed: FailedFile[]; ended: string[] }

export type RunOptions = {
  scratch: string
  slowdown: Slowdown
  /** Without progress for so long, times the slowdown, a file is ended. */
  silenceSeconds: number
  /** One file at a time. */
  alone?: boolean
  /** Options of Vitest itself, such as another configuration. */
  vitest?: string[]
  quiet?: boolean
}

const LOOK_MS = 1_000
const MEASURE_MS = 60_000

export async function runSuite(files: string[], options: RunOptions): Promise<SuiteResult> {
  const folder = mkdtempSync(join(options.scratch, 'suite-'))
  const workers = join(folder, 'workers')
  mkdirSync(workers)
  const report = join(folder, 'report.json')
  const processor = join(folder, 'processor.jsonl')
  const silence = watchSilence()
  const command = ['vitest', 'run', ...reporters(report), ...(options.vitest ?? []), ...files]
  // Alone means in a process of its own, too.
  if (options.alone) command.push('--no-file-parallelism', '--isolate')
  const child = startProgram(command, {
    quiet: options.quiet ?? false,
    env: {
      ERGON_SLOWDOWN_FILE: options.slowdown.file,
      ERGON_WORKERS: workers,
      ERGON_PROCESSOR: processor,
      // Three hundred processes load the same packages.
      NODE_COMPILE_CACHE: join(ROOT, 'node_modules/.cache/ergon'),
    },
    onMessage: (message) => silence.hear(message as Progress),
  })
  const ended: string[] = []
  const look = () => {
    const limitMs = options.silenceSeconds * options.slowdown.factor * 1_000
    for (const file of silence.filesOver(limitMs)) {
      if (!options.quiet)
        console.error(`\nENDED ${relative(ROOT, file)}: no progress for ${seconds(limitMs)} s`)
      ended.push(relative(ROOT, file))
      for (const pid of workersOf(workers, file)) endTree(pid)
    }
    // Twice as long, because a file's own end is progress of the whole.
    if (!silence.isOver(limitMs * 2)) return
    console.error(`\nENDED the whole run: no file made progress for ${seconds(limitMs * 2)} s`)
    child.end()
  }
  const timer = setInterval(look, LOOK_MS)
  const measuring = measureEachMinute(options.slowdown)
  const { green } = await child.ended
  clearInterval(timer)
  await measuring.stop()
  if (!options.quiet) for (const line of processorLines(processor)) console.log(line)
  const result = readReport(report)
  return { ...result, green: green && ended.length === 0, ended }
}

const seconds = (ms: number) => Math.round(ms / 1_000)

function reporters(report: string): string[] {
  const progress = join(import.meta.dirname, 'progress.ts')
  return [
    '--reporter=default',
    `--reporter=${progress}`,
    '--reporter=json',
    `--outputFile.json=${report}`,
  ]
}

/** A machine may slow down at any moment, and a measurement costs a second of one core. */
function measureEachMinute(slowdown: Slowdown) {
  let measuring: Promise<void> | undefined
  async function measure(): Promise<void> {
    const before = slowdown.factor
    await slowdown.measureAgain()
    if (slowdown.factor > before) {
      console.log(`\n== waits and limits are now stretched by ${slowdown.factor}`)
    }
  }
  const timer = setInterval(() => {
    measuring = measure()
  }, MEASURE_MS)
  return {
    /** Waits for a measurement under way: it writes into a folder that is removed after the run. */
    async stop() {
      clearInterval(timer)
      await measuring
    },
  }
}

/** When each running file, and the whole run, last made progress. */
function watchSilence() {
  const running = new Map<string, number>()
  let last = performance.now()
  return {
    hear({ file, is }: Progress) {
      last = performance.now()
      if (is === 'ended') running.delete(file)
      else running.set(file, last)
    },
    /** Each of them once. */
    filesOver(limitMs: number): string[] {
      const now = performance.now()
      const silent = [...running].filter(([, at]) => now - at > limitMs).map(([file]) => file)
      for (const file of silent) running.delete(file)
      return silent
    },
    isOver: (limitMs: number) => performance.now() - last > limitMs,
  }
}

function workersOf(folder: string, file: string): number[] {
  const ofFile = (pid: string) => readFileSync(join(folder, pid), 'utf8') === file
  return readdirSync(folder).filter(ofFile).map(Number)
}

type Report = {
  numPassedTests: number
  numFailedTests: number
  numPendingTests: number
  numTodoTests: number
  testResults: {
    name: string
    status: string
    message: string
    assertionResults: { fullName: string; failureMessages: string[] }[]
  }[]
}

function readReport(path: string): { counts: Counts; failed: FailedFile[] } {
  if (!existsSync(path)) return { counts: { passed: 0, failed: 0, skipped: 0 }, failed: [] }
  const report: Report = JSON.parse(readFileSync(path, 'utf8'))
  const failed = report.testResults
    .filter(({ status }) => status === 'failed')
    .map(({ name, message, assertionResults }) => {
      const each = assertionResults.flatMap(({ fullName, failureMessages }) =>
        failureMessages.map((text) => `${fullName}\n${text}`),
      )
      return { file: relative(ROOT, name), output: [message, ...each].filter(Boolean).join('\n') }
    })
  const { numPassedTests, numFailedTests, numPendingTests, numTodoTests } = report
  const skipped = numPendingTests + numTodoTests
  return { counts: { passed: numPassedTests, failed: numFailedTests, skipped }, failed }
}
