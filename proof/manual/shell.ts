import { type ChildProcess, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { commandAs } from '../../service/db/index.ts'
import { user as serverUser } from '../testing/cluster.ts'

/** What npx does with a program of the repository, without the half second that npm takes to begin. */
const NPX = 'npx() { (PATH="$PWD/node_modules/.bin:$PATH"; exec "$@"); }'
const MARK = '==== end of the block'

export type Printed = { out: string; all: string }

/** A shell that stays open, as a terminal does: variables, functions and jobs live from block to block. */
export class Shell {
  readonly #child: ChildProcess
  readonly #folder: string
  #out = ''
  #all = ''
  #blocks = 0
  #isOver = false

  constructor(options: { folder: string; env: Record<string, string>; asServerUser: boolean }) {
    const { folder, env, asServerUser } = options
    this.#folder = folder
    const bash = ['--noprofile', '--norc']
    const [command, args] = asServerUser
      ? commandAs(serverUser, '/bin/bash', bash)
      : ['/bin/bash', bash]
    // A process group of its own, so that the jobs in it end with it.
    this.#child = spawn(command, args, { cwd: folder, env, detached: true })
    this.#child.stdout!.on('data', (data) => {
      this.#out += data
      this.#all += data
    })
    this.#child.stderr!.on('data', (data) => {
      this.#all += data
    })
    this.#child.once('exit', () => {
      this.#isOver = true
    })
    this.#child.stdin!.on('error', () => {})
    this.#child.stdin!.write(`${NPX}\nset -euo pipefail\n`)
  }

  /** Runs one block; the first command that fails ends the shell. */
  async run(commands: string, seconds: number): Promise<Printed> {
    const file = join(this.#folder, `block-${++this.#blocks}.sh`)
    writeFileSync(file, `${commands}\n`)
    this.#out = ''
    this.#all = ''
    // Read from a file: a command that reads its input would take the next block for it.
    this.#child.stdin!.write(`. ${file} < /dev/null\necho '${MARK}'\n`)
    const untilMs = performance.now() + seconds * 1_000
    while (!this.#out.includes(MARK)) {
      if (this.#isOver) throw new Error(`a command failed:\n${this.#all}`)
      if (performance.now() > untilMs) throw new Error(`not done in ${seconds} s:\n${this.#all}`)
      await new Promise((next) => setTimeout(next, 20))
    }
    const clean = (text: string) => text.replace(`${MARK}\n`, '')
    return { out: clean(this.#out), all: clean(this.#all) }
  }

  close() {
    try {
      process.kill(-this.#child.pid!, 'SIGKILL')
    } catch {}
  }
}
