import { type ChildProcess, fork } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { endTree } from '../../scripts/index.ts'
import type { Answer, Request } from './laneProgram.ts'
import { copyTree } from './tree.ts'

export type Lane = {
  folder: string
  write(file: string, text: string, statement?: string): Promise<Answer>
  test(file: string, limitMs: number): Promise<Answer>
  /** Ends the lane and its server; the next request starts them anew, in the same folder. */
  restart(): Promise<void>
  close(): Promise<void>
}

/** Starting Vitest and a server, and migrating, on a busy machine. */
const START_MS = 120_000

/** A lane in a folder of its own. With `covered`, its tests say there what they have run. */
export function openLane(root: string, folder: string, covered?: string): Lane {
  const temporary = join(folder, 'tmp')
  const tree = join(folder, 'tree')
  copyTree(root, tree)
  let child: ChildProcess | undefined

  async function started(): Promise<ChildProcess> {
    if (child) return child
    mkdirSync(temporary, { recursive: true })
    const env = { ...process.env, TMPDIR: temporary, ...(covered && { ERGON_COVERED: covered }) }
    const path = join(tree, 'proof/mutants/laneProgram.ts')
    // A group of its own: Ctrl-C is for the one who planted, who then ends the lanes.
    child = fork(path, {
      cwd: tree,
      env,
      detached: true,
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    await answerOf(child, START_MS)
    return child
  }

  async function ask(request: Request, limitMs: number): Promise<Answer> {
    const asked = await started()
    asked.send(request)
    const answer = await answerOf(asked, limitMs)
    if (answer === undefined) await end()
    return answer ?? { state: 'time', output: 'the lane gave no answer and was ended' }
  }

  async function end(): Promise<void> {
    const ended = child
    child = undefined
    if (!ended?.pid || ended.exitCode !== null || ended.signalCode !== null) return
    const gone = new Promise((resolve) => ended.once('exit', resolve))
    endTree(ended.pid)
    await gone
    rmSync(temporary, { recursive: true, force: true })
  }

  return {
    folder: tree,
    write: (file, text, statement) => ask({ do: 'write', file, text, statement }, START_MS),
    // The first test waits for the server as well.
    test: (file, limitMs) => ask({ do: 'test', file, limitMs }, limitMs + START_MS),
    restart: end,
    async close() {
      await end()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Undefined when there is none in time, or the lane has ended. */
function answerOf(child: ChildProcess, limitMs: number): Promise<Answer | undefined> {
  return new Promise((resolve) => {
    const settle = (answer?: Answer) => {
      clearTimeout(timer)
      child.off('message', settle).off('exit', gone)
      resolve(answer)
    }
    const gone = () => settle()
    const timer = setTimeout(settle, limitMs)
    child.once('message', settle).once('exit', gone)
  })
}
