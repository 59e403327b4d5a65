// Programs of a test run: each in a process group of its own, so that it can be ended with its children.
import { type ChildProcess, spawn } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './layers.ts'

let current: ChildProcess | undefined

type ProgramOptions = {
  env?: Record<string, string>
  quiet?: boolean
  onMessage?(message: unknown): void
}

/** A program from node_modules. `onMessage` receives what it says over the IPC channel. */
export function startProgram(
  [program = '', ...args]: string[],
  { env = {}, quiet = false, onMessage }: ProgramOptions,
): { end(): void; ended: Promise<{ green: boolean }> } {
  const output = quiet ? 'ignore' : 'inherit'
  const child = spawn(join(ROOT, 'node_modules/.bin', program), args, {
    cwd: ROOT,
    stdio: ['ignore', output, output, 'ipc'],
    env: { ...process.env, ...env },
    detached: true,
  })
  current = child
  if (onMessage) child.on('message', onMessage)
  const ended = new Promise<{ green: boolean }>((resolve) => {
    child.once('error', (error) => {
      console.error(`${program} cannot run: ${error.message}`)
      resolve({ green: false })
    })
    child.once('exit', (code) => resolve({ green: code === 0 }))
  })
  return { end: () => endGroup(child, 'SIGKILL'), ended }
}

function endGroup(child: ChildProcess | undefined, signal: NodeJS.Signals): void {
  if (child?.pid && child.exitCode === null && child.signalCode === null) {
    process.kill(-child.pid, signal)
  }
}

/** Ends what runs now, when the run itself is ended from outside. */
export function endWithThisProcess(): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      endGroup(current, signal)
      process.exit(1)
    })
  }
}

/** Ends a process and everything it has started (as /proc tells it). */
export function endTree(pid: number): void {
  const parents = globSync('/proc/[0-9]*/stat').flatMap(readParent)
  const family = [pid]
  // Grows while it is walked: children of children are found too.
  for (const member of family) {
    family.push(...parents.filter(({ parent }) => parent === member).map((child) => child.pid))
  }
  for (const member of family) {
    try {
      process.kill(member, 'SIGKILL')
    } catch {
      // It has ended meanwhile.
    }
  }
}

function readParent(file: string): { pid: number; parent: number }[] {
  try {
    // "pid (name) state parent …": the name may hold anything, so what follows its last bracket counts.
    const text = readFileSync(file, 'utf8')
    const [, parent] = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return [{ pid: Number.parseInt(text, 10), parent: Number(parent) }]
  } catch {
    return []
  }
}
