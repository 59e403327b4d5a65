import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SandboxFile } from '../../service/app/sandbox.ts'
import { COMPILED } from './compiled.ts'
import { until } from './until.ts'

const ROOT = join(import.meta.dirname, '../..')
const START_MS_MAX = 60_000

/** The service as a separate process, started as `npm start` does. */
export type Program = {
  pid: number
  output(): string
  complaints(): string
  isRunning(): boolean
  kill(signal: NodeJS.Signals): void
  /** Its exit code, or the signal that ended it. */
  ended: Promise<number | NodeJS.Signals>
}

type Options = {
  env: Record<string, string>
  /** The root of another checkout. */
  root?: string
  /** What Node is started with; by default the file that `npm start` runs. */
  args?: string[]
  uid?: number
  gid?: number
}

/** The file that `npm start` runs: an earlier release has it in another place. */
function mainOf(root: string): string {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  return scripts.start.split(' ').at(-1)
}

export function startProgram(options: Options): Program {
  const { env, root = ROOT, args = [mainOf(root)], ...user } = options
  const child: ChildProcess = spawn(process.execPath, args, {
    cwd: root,
    env: {
      ...COMPILED,
      PATH: process.env.PATH,
      PORT: '0',
      DEVNET_PORT: '0',
      BLOCK_MS: '200',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...user,
  })
  let output = ''
  let complaints = ''
  child.stdout!.on('data', (chunk) => {
    output += chunk
  })
  child.stderr!.on('data', (chunk) => {
    complaints += chunk
  })
  const ended = new Promise<number | NodeJS.Signals>((resolve) => {
    child.once('close', (code, signal) => resolve(code ?? signal!))
  })
  return {
    pid: child.pid!,
    output: () => output,
    complaints: () => complaints,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    kill: (signal) => child.kill(signal),
    ended,
  }
}

/** Waits for the sandbox file of this start, and reads it. */
export async function untilUp(program: Program, folder: string): Promise<SandboxFile> {
  const isUp = () => program.output().includes('Ergon sandbox is up')
  await until('the sandbox to be up', () => isUp() || !program.isRunning(), START_MS_MAX)
  if (!isUp()) throw new Error(`the sandbox did not start: ${program.complaints()}`)
  return JSON.parse(readFileSync(join(folder, 'sandbox.json'), 'utf8'))
}

/** A process, with its start time: a later one may get the same pid. */
export type Relative = { pid: number; startedAt: string; command: string }

/** Every running process that descends from this one. */
export function descendantsOf(ancestor: number): Relative[] {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap(readProcess)
  const found: Relative[] = []
  const visit = (parent: number) => {
    for (const { parentPid, ...relative } of all) {
      if (parentPid !== parent) continue
      found.push(relative)
      visit(relative.pid)
    }
  }
  visit(ancestor)
  return found
}

export function isAlive({ pid, startedAt }: Relative): boolean {
  return readProcess(String(pid)).some((process) => process.startedAt === startedAt)
}

function readProcess(pid: string): (Relative & { parentPid: number })[] {
  if (!existsSync(`/proc/${pid}/stat`)) return []
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const [state, parentPid, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    if (state === 'Z') return []
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
    return [{ pid: Number(pid), parentPid: Number(parentPid), startedAt: rest[17]!, command }]
  } catch {
    // It ended while we read it.
    return []
  }
}
