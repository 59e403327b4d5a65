import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { COMPILED } from './compiled.ts'

const ROOT = join(import.meta.dirname, '../..')
const PROGRAM = {
  PATH: `${join(ROOT, 'node_modules/.bin')}:${process.env.PATH}`,
  ...COMPILED,
}

// biome-ignore lint/suspicious/noExplicitAny: tests read whatever the command prints
type Ran = { code: number; out: string; err: string; json: any }

/** `ergon` as a program of its own, in an environment that is known once the test has begun. */
export function runningErgon(env: () => Record<string, string>) {
  /** Every line that was understood and answered. */
  const answered: string[] = []

  function ergon(args: string[], changes: Record<string, string> = {}): Promise<Ran> {
    const options = { cwd: ROOT, env: { ...PROGRAM, ...env(), ...changes } }
    return new Promise((resolve) => {
      execFile('ergon', args, options, (error, out, err) => {
        const json = args.includes('--json') && out ? JSON.parse(out) : undefined
        const code = error ? Number(error.code) : 0
        const line = args.map((arg) => (/\s/.test(arg) ? `"${arg}"` : arg)).join(' ')
        // What was not understood, or met no database, has shown nothing.
        if (code < 2) answered.push(`npx ergon ${line}`)
        resolve({ code, out, err, json })
      })
    })
  }

  /** For people and for machines, at the same time. */
  const both = (...args: string[]) => Promise.all([ergon(args), ergon([...args, '--json'])])
  return { ergon, both, answered }
}
