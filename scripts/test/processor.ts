// What a run uses of the processor, by files: seconds of it do not depend on what else the machine does.
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { ROOT } from './layers.ts'

type Used = {
  file: string
  /** Of the test process. */
  tests: number
  /** Of the programs that it had started and that have ended. */
  programs: number
  /** Of the run's server. Files that run at once share it, so it says something of a single worker. */
  postgres: number
}

/** Of the kernel's accounts, which count in hundredths of a second on every Linux. */
const TICKS_PER_SECOND = 100
type Ticks = { own: number; ended: number }

function ticksOf(pid: number | 'self'): Ticks {
  try {
    // "pid (name) state …": the name may hold anything, so what follows its last bracket counts.
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number)
    const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15)
    return { own: user + system, ended: endedUser + endedSystem }
  } catch {
    return { own: 0, ended: 0 }
  }
}

/** Of a server: its processes that have ended, and those that run. */
function serverSeconds(pid: number): number {
  const { own, ended } = ticksOf(pid)
  let ticks = own + ended
  for (const child of childrenOf(pid)) ticks += ticksOf(child).own
  return ticks / TICKS_PER_SECOND
}

function childrenOf(pid: number): number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    return text.split(' ').filter(Boolean).map(Number)
  } catch {
    return []
  }
}

/** The name under which the run's server stands in the list, with all that it has used. */
const SERVER = 'PostgreSQL'

export function noteServer(list: string, pid: number): void {
  const used: Used = { file: SERVER, tests: 0, programs: 0, postgres: serverSeconds(pid) }
  appendFileSync(list, `${JSON.stringify(used)}\n`)
}

/** Begins to count; the result adds what one test file has used to the list. */
export function countProcessor(list: string, file: string, postgresPid: number): () => void {
  const now = () => {
    const { own, ended } = ticksOf('self')
    const [tests, programs] = [own / TICKS_PER_SECOND, ended / TICKS_PER_SECOND]
    return { tests, programs, postgres: serverSeconds(postgresPid) }
  }
  const from = now()
  return () => {
    const to = now()
    const used: Used = {
      file,
      tests: to.tests - from.tests,
      programs: to.programs - from.programs,
      postgres: to.postgres - from.postgres,
    }
    appendFileSync(list, `${JSON.stringify(used)}\n`)
  }
}

const SHOWN = 12

/** The whole, and the files that used most; nothing of a suite whose files said nothing. */
export function processorLines(list: string): string[] {
  if (!existsSync(list)) return []
  const lines = readFileSync(list, 'utf8').split('\n').filter(Boolean)
  const all: Used[] = lines.map((line) => JSON.parse(line))
  const server = all.find(({ file }) => file === SERVER)
  const files = all.filter((one) => one !== server)
  const of = ({ tests, programs }: Used) => tests + programs
  const sum = (kind: 'tests' | 'programs') =>
    Math.round(files.reduce((seconds, one) => seconds + one[kind], 0))
  const most = files.toSorted((a, b) => of(b) - of(a)).slice(0, SHOWN)
  return [
    `\nProcessor seconds: ${sum('tests')} in tests, ${sum('programs')} in programs that they started, ${Math.round(server?.postgres ?? 0)} in PostgreSQL. Most, without PostgreSQL:`,
    ...most.map((one) => `${of(one).toFixed(1).padStart(7)}  ${relative(ROOT, one.file)}`),
  ]
}
