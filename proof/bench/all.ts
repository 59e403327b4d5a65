import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { descendantsOf } from '../testing/program.ts'
import { type Meanwhile, machine, machineLine, meanwhileTable, watchMachine } from './machine.ts'
import { type Handed, type Row, reachedBy, rowsTable } from './row.ts'

/** Time limit of a suite; the others still run when one hangs. */
const SUITE_MS_MAX = 600_000

type Ran = Handed & { suite: string; meanwhile: Meanwhile; failed: boolean }

/** Runs every suite in its own process, one after the other, and prints one table of all rows. */
export async function runAll(
  names: string[],
  { passed, json }: { passed: string[]; json: string | undefined },
) {
  const folder = mkdtempSync(join(tmpdir(), 'ergon-bench-'))
  const ran: Ran[] = []
  try {
    for (const suite of names) {
      console.error(`\n${suite} (${ran.length + 1} of ${names.length})`)
      const seen = watchMachine()
      const handed = await runOne(suite, passed, join(folder, `${suite}.json`))
      ran.push({ suite, ...handed, meanwhile: seen() })
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  print(ran)
  if (json) writeFileSync(json, `${JSON.stringify({ machine: machine(), suites: ran }, null, 2)}\n`)
  const isShort = ({ failed, rows }: Ran) =>
    failed || rows.some((row) => reachedBy(row) === 'SHORT')
  return ran.some(isShort) ? 1 : 0
}

function print(ran: Ran[]) {
  const seconds = ran.reduce((sum, { meanwhile }) => sum + meanwhile.seconds, 0)
  console.log(`\n${machineLine()}\n`)
  console.log(rowsTable(ran.flatMap(({ rows }) => rows)))
  console.log('')
  for (const remark of new Set(ran.flatMap(({ remarks }) => remarks))) console.log(`- ${remark}`)
  console.log(`\n${meanwhileTable(ran)}\n\nAll of it took ${(seconds / 60).toFixed(1)} minutes.`)
}

async function runOne(suite: string, passed: string[], file: string) {
  const complaint = await outcomeOf([suite, ...passed, '--json', file])
  try {
    const { rows, remarks, details } = JSON.parse(readFileSync(file, 'utf8')) as Handed
    return { rows, remarks, details, failed: false }
  } catch {
    const row: Row = { figure: suite, lacking: `failed: ${complaint}` }
    return { rows: [row], remarks: [], failed: true }
  }
}

/** The last line of its output that looks like a reason, in case it returns no rows. */
function outcomeOf(args: string[]): Promise<string> {
  const program = join(import.meta.dirname, 'run.ts')
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'ignore', 'pipe'] })
  let output = ''
  let hung = false
  child.stderr.on('data', (chunk: Buffer) => {
    process.stderr.write(chunk)
    output = (output + chunk).slice(-4_000)
  })
  const patience = setTimeout(() => {
    hung = true
    for (const { pid } of descendantsOf(child.pid!)) process.kill(pid, 'SIGKILL')
    child.kill('SIGKILL')
  }, SUITE_MS_MAX)
  return new Promise((resolve) => {
    child.once('exit', () => {
      clearTimeout(patience)
      const reason = output.split('\n').findLast((line) => /^\w*Error\b/.test(line))
      resolve(hung ? `not done after ${SUITE_MS_MAX / 1_000} s` : (reason ?? 'no reason given'))
    })
  })
}
