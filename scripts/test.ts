// `npm test`: every layer in order, each with a budget of seconds; all of them run even when one is
// red. `npm test -- orders` runs the tests of one room or path and nothing else.
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'

type Counts = { passed: number; failed: number; skipped: number }
type Layer = { name: string; budgetSeconds: number; command: string[] } | Suite
type Suite = { name: string; budgetSeconds: number; files: string[] }

const ROOT = join(import.meta.dirname, '..')
const CHROMIUM = '/usr/bin/chromium'
const TESTS = '{test,story}.ts'
const scratch = mkdtempSync(join(tmpdir(), 'ergon-run-'))
const lastLines: string[] = []

/** More red files than this are no accident. */
const UNSTEADY_FILES_MAX = 2

/** No layer gets more than its budget, and all together no more than this: 20 minutes are the limit. */
const ALL_SECONDS_MAX = 1_170

function allLayers(): Layer[] {
  return [
    { name: 'types', budgetSeconds: 45, command: ['tsc', '--noEmit'] },
    { name: 'types of the web', budgetSeconds: 45, command: ['tsc', '--noEmit', '-p', 'web'] },
    { name: 'lint', budgetSeconds: 25, command: ['biome', 'check', '.'] },
    { name: 'unused', budgetSeconds: 30, command: ['knip'] },
    {
      name: 'rooms',
      budgetSeconds: 180,
      files: testFiles('{contract,tron,service,sdk,cli,web}/**'),
    },
    { name: 'devnet', budgetSeconds: 120, files: testFiles('devnet/**') },
    { name: 'simulation', budgetSeconds: 200, files: testFiles('proof/simulation/**') },
    { name: 'proof', budgetSeconds: 720, files: proofFiles() },
    ...browserLayer(),
  ]
}

function testFiles(where: string): string[] {
  const found = globSync(`${where}/*.${TESTS}`, { cwd: ROOT })
  return found.filter((file) => !file.includes('node_modules')).sort()
}

function proofFiles(): string[] {
  // The simulation and the browser want both cores to themselves: each is a layer of its own. The
  // violence of nine processes and two servers is run by `npm run prove`, or by its name.
  const apart = ['proof/browser/', 'proof/simulation/', 'proof/faults/violence.test.ts']
  return testFiles('proof/**').filter((file) => !apart.some((folder) => file.startsWith(folder)))
}

function browserLayer(): Suite[] {
  if (existsSync(CHROMIUM)) {
    return [{ name: 'browser', budgetSeconds: 300, files: testFiles('proof/browser/**') }]
  }
  lastLines.push(`SKIPPED browser: there is no ${CHROMIUM}, and only root can install it`)
  return []
}

/** `orders`, `service/orders`, `proof/attacks` or a file: whatever has that folder or name in its path. */
function layersOf(wanted: string): Layer[] {
  const path = wanted.replace(/^\.\//, '').replace(/\/$/, '')
  const isIn = (file: string) => `/${file}`.includes(`/${path}/`) || file.startsWith(path)
  const files = testFiles('{contract,tron,service,sdk,cli,devnet,web,proof}/**').filter(isIn)
  if (files.length > 0) return [{ name: path, budgetSeconds: 600, files }]
  console.error(`No test lives in "${wanted}"; name a room such as orders, or a path.`)
  process.exit(1)
}

async function runLayer(layer: Layer): Promise<{ green: boolean; counts: Counts }> {
  const none = { passed: 0, failed: 0, skipped: 0 }
  if ('files' in layer && layer.files.length === 0) return { green: true, counts: none }
  console.log(`\n== ${layer.name}`)
  const report = join(scratch, `${layer.name.replaceAll('/', '-')}.json`)
  const command = 'files' in layer ? vitest(layer.files, report) : layer.command
  const began = performance.now()
  const budget = Math.min(layer.budgetSeconds, Math.floor(ALL_SECONDS_MAX - began / 1000))
  let green = await runCommand(command, budget)
  let counts = 'files' in layer ? countsIn(report) : none
  if (!green && 'files' in layer) {
    const left = budget - (performance.now() - began) / 1000
    const again = await runAlone(redFiles(report), left)
    if (again) {
      green = true
      counts = { ...counts, passed: counts.passed + counts.failed, failed: 0 }
    }
  }
  // A suite that cannot even be loaded has no failed test to its name.
  if (!green && counts.failed === 0) counts.failed = 1
  const seconds = ((performance.now() - began) / 1000).toFixed(1)
  console.log(`== ${layer.name} ${green ? 'green' : 'RED'} in ${seconds} s of ${budget}`)
  if (layer.name === 'browser') console.log('   screenshots of every page: artefacts/*.png')
  return { green, counts }
}

/**
 * A red file is looked at once more, without its neighbours: two cores shared by three hundred files
 * can starve one of them. What is green then is told as UNSTEADY, last of all, until it is mended.
 */
async function runAlone(files: string[], seconds: number): Promise<boolean> {
  if (files.length === 0 || files.length > UNSTEADY_FILES_MAX || seconds < 60) return false
  console.log(`\n== once more, alone: ${files.join(' ')}`)
  const alone = ['vitest', 'run', '--no-file-parallelism', ...files]
  if (!(await runCommand(alone, Math.floor(seconds)))) return false
  for (const file of files) lastLines.push(`UNSTEADY ${file}: red beside others, green alone`)
  return true
}

type Report = { testResults: { name: string; status: string }[] }

function redFiles(report: string): string[] {
  if (!existsSync(report)) return []
  const { testResults }: Report = JSON.parse(readFileSync(report, 'utf8'))
  const red = testResults.filter(({ status }) => status === 'failed')
  return red.map(({ name }) => relative(ROOT, name))
}

function vitest(files: string[], report: string): string[] {
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  return ['vitest', 'run', ...reporters, ...files]
}

function countsIn(report: string): Counts {
  if (!existsSync(report)) return { passed: 0, failed: 0, skipped: 0 }
  const read = JSON.parse(readFileSync(report, 'utf8'))
  const { numPassedTests: passed, numFailedTests: failed } = read
  return { passed, failed, skipped: read.numPendingTests + read.numTodoTests }
}

let current: ChildProcess | undefined

function runCommand([program = '', ...args]: string[], budgetSeconds: number): Promise<boolean> {
  return new Promise((resolve) => {
    const path = join(ROOT, 'node_modules/.bin', program)
    // In a group of its own, so that what it started can be stopped with it.
    const stdio = ['ignore', 'inherit', 'inherit'] as const
    const child = spawn(path, args, { cwd: ROOT, stdio: [...stdio], detached: true })
    current = child
    const stop = (signal: NodeJS.Signals) => stopGroup(child, signal)
    const over = setTimeout(() => {
      console.error(`Out of budget: ${program} has had its ${budgetSeconds} s.`)
      stop('SIGTERM')
    }, budgetSeconds * 1000)
    const last = setTimeout(() => stop('SIGKILL'), (budgetSeconds + 10) * 1000)
    child.once('error', (error) => console.error(`${program} cannot run: ${error.message}`))
    child.once('close', (code) => {
      clearTimeout(over)
      clearTimeout(last)
      resolve(code === 0)
    })
  })
}

function stopGroup(child: ChildProcess | undefined, signal: NodeJS.Signals) {
  if (child?.pid && child.exitCode === null && child.signalCode === null) {
    process.kill(-child.pid, signal)
  }
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    stopGroup(current, signal)
    process.exit(1)
  })
}

const wanted = process.argv[2]
const total: Counts = { passed: 0, failed: 0, skipped: 0 }
let green = true
for (const layer of wanted ? layersOf(wanted) : allLayers()) {
  const result = await runLayer(layer)
  green &&= result.green
  for (const kind of ['passed', 'failed', 'skipped'] as const) total[kind] += result.counts[kind]
}
rmSync(scratch, { recursive: true })
const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : ''
console.log(`\n${green ? 'All layers are green.' : 'Something is red.'}`)
console.log(`${total.passed} passed, ${total.failed} failed${skipped}`)
for (const line of lastLines) console.log(line)
process.exitCode = green ? 0 : 1
