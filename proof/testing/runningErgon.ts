import { type ChildProcess, execFile, fork } from 'node:child_process'
import { join } from 'node:path'
import { COMPILED } from './compiled.ts'
import type { Line } from './ergonHost.ts'

const ROOT = join(import.meta.dirname, '../..')
const PROGRAM = {
  PATH: `${join(ROOT, 'node_modules/.bin')}:${process.env.PATH}`,
  // An operator who is added here signs in at a service in the test's process.
  NODE_OPTIONS: `--import=${join(import.meta.dirname, 'cheapPasswords.ts')}`,
  ...COMPILED,
}
/** The output of one command, up to the end mark with its exit code. */
const OVER = /^([^\0]*)\0(\d+)\n/

// biome-ignore lint/suspicious/noExplicitAny: tests read whatever the command prints
type Ran = { code: number; out: string; err: string; json: any }
type Changes = Record<string, string>
type Printed = Omit<Ran, 'json'>

/** Runs `ergon` in an environment that is known only once the test has begun. */
export function runningErgon(env: () => Record<string, string>) {
  /** Every command line that was understood and answered. */
  const answered: string[] = []
  const host = ergonHost()

  async function note(args: string[], run: Promise<Printed>): Promise<Ran> {
    const { code, out, err } = await run
    const json = args.includes('--json') && out ? JSON.parse(out) : undefined
    const line = args.map((arg) => (/\s/.test(arg) ? `"${arg}"` : arg)).join(' ')
    // Exit codes from 2: the line was not understood, or no database answered.
    if (code < 2) answered.push(`npx ergon ${line}`)
    return { code, out, err, json }
  }

  /** Runs in a process that has the commands loaded; loading takes longer than most of them. */
  const ergon = (args: string[], changes: Changes = {}) =>
    note(args, host.run(args, { ...PROGRAM, ...env(), ...changes }))
  /** The output for people, and as JSON. */
  const both = (...args: string[]) => Promise.all([ergon(args), ergon([...args, '--json'])])
  /** Runs as a separate program, which has to end by itself. */
  const program = (args: string[], changes: Changes = {}, typed = '') =>
    note(args, runProgram(args, { ...PROGRAM, ...env(), ...changes }, typed))
  return { ergon, both, program, answered, close: host.close }
}

function runProgram(args: string[], env: Record<string, string>, typed: string): Promise<Printed> {
  return new Promise((resolve) => {
    const child = execFile('ergon', args, { cwd: ROOT, env }, (error, out, err) =>
      resolve({ code: error ? Number(error.code) : 0, out, err }),
    )
    child.stdin!.end(typed)
  })
}

function ergonHost() {
  let child: ChildProcess | undefined
  const waiting: ((printed: Printed) => void)[] = []
  const printed = { out: '', err: '' }

  function start(): ChildProcess {
    const options = { cwd: ROOT, env: PROGRAM, silent: true, execArgv: [] }
    const started = fork(join(import.meta.dirname, 'ergonHost.ts'), options)
    const read = (stream: 'out' | 'err') => (chunk: string) => {
      printed[stream] += chunk
      deliver()
    }
    started.stdout!.setEncoding('utf8').on('data', read('out'))
    started.stderr!.setEncoding('utf8').on('data', read('err'))
    started.once('exit', () => {
      for (const answer of waiting.splice(0)) answer({ code: 99, ...printed })
    })
    return started
  }

  /** A command has ended when both streams have its end mark. */
  function deliver() {
    for (;;) {
      const out = OVER.exec(printed.out)
      const err = OVER.exec(printed.err)
      if (!out || !err) return
      printed.out = printed.out.slice(out[0].length)
      printed.err = printed.err.slice(err[0].length)
      waiting.shift()!({ code: Number(out[2]), out: out[1]!, err: err[1]! })
    }
  }

  return {
    run(args: string[], env: Record<string, string>): Promise<Printed> {
      child ??= start()
      child.send({ args, env } satisfies Line)
      return new Promise((resolve) => waiting.push(resolve))
    },
    close: () => void child?.kill(),
  }
}
