import { type ChildProcess, fork } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { endTree } from '../../scripts/index.ts'
import type { Answer, Request } from './laneProgram.ts'
import { copyTree } from './tree.ts'

export type Lane = {
  folder: string
  /** Starts the lane ahead of time, so that the first request does not include it. */
  start(): Promise<void>
  write(file: string, text: string, statement?: string): Promise<Answer>
  test(file: string, limitMs: number): Promise<Answer>
  /** Ends the lane and its server; the next request starts them again in the same folder. */
  restart(): Promise<void>
  close(): Promise<void>
}

/** Time to start Vitest and a server and to migrate, on a busy machine. */
const START_MS = 300_000
const END_MS = 60_000
const NEVER = new Promise<never>(() => {})

/** A lane in its own folder. With `covered`, its tests record there what they run. */
export function openLane(root: string, folder: string, covered?: string): Lane {
  const temporary = join(folder, 'tmp')
  const tree = join(folder, 'tree')
  copyTree(root, tree)
  let child: ChildProcess | undefined
  let isClosed = false

  async function started(): Promise<ChildProcess> {
    if (child) return child
    mkdirSync(temporary, { recursive: true })
    const env = { ...process.env, TMPDIR: temporary, ...(covered && { ERGON_COVERED: covered }) }
    const path = join(tree, 'proof/mutants/laneProgram.ts')
    // Its own process group: Ctrl-C goes to the parent, which then ends the lanes.
    child = fork(path, {
      cwd: tree,
      env,
      detached: true,
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    const { state, output } = await answerOf(child, START_MS)
    if (state !== 'green' && !isClosed) throw new Error(`a lane cannot start: ${state} ${output}`)
    return child
  }

  async function ask(request: Request, limitMs: number): Promise<Answer> {
    // After Ctrl-C a result says nothing about the mutant, so no answer is given.
    if (isClosed) return NEVER
    const asked = await started()
    if (isClosed) return NEVER
    asked.send(request)
    const answer = await answerOf(asked, limitMs)
    if (isClosed) return NEVER
    if (answer.state === 'time' || answer.state === 'gone') await end()
    return answer
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
    start: async () => void (await started()),
    write: (file, text, statement) => ask({ do: 'write', file, text, statement }, START_MS),
    // The lane itself ends a test at the limit; if it does not, the lane is ended.
    test: (file, limitMs) => ask({ do: 'test', file, limitMs }, limitMs + END_MS),
    restart: end,
    async close() {
      isClosed = true
      await end()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** The lane's answer, or a timeout, or that it ended by itself. */
function answerOf(child: ChildProcess, limitMs: number): Promise<Answer> {
  return new Promise((resolve) => {
    const settle = (answer: Answer) => {
      clearTimeout(timer)
      child.off('message', settle).off('exit', gone)
      resolve(answer)
    }
    const gone = () => settle({ state: 'gone', output: 'the lane has ended' })
    const late = () => settle({ state: 'time', output: 'the lane gave no answer' })
    const timer = setTimeout(late, limitMs)
    child.once('message', settle).once('exit', gone)
  })
}
