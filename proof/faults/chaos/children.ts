import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import { COMPILED } from '../../testing/compiled.ts'
import { until } from '../../testing/until.ts'
import type { Tally, Verdict, WitnessOptions } from './witness.ts'
import type { Order } from './witnessProgram.ts'

/** A process of the service that is restarted whenever it ends, as a process manager does. */
export class Child {
  readonly name: string
  url = ''
  deaths = 0
  /** How often it was ready. */
  starts = 0
  /** How it ended by itself after it was ready. A fault must never cause that. */
  endings: string[] = []
  complaints = ''
  readonly #path: string
  readonly #env: Record<string, string>
  #child: ChildProcess | undefined
  #closing = false
  #killed = false

  constructor(name: string, path: string, env: Record<string, string>) {
    this.name = name
    this.#path = path
    this.#env = env
  }

  async start(): Promise<void> {
    const { port } = this.url ? new URL(this.url) : { port: '0' }
    const child = fork(this.#path, {
      env: { ...this.#env, ...COMPILED, CHAOS_PORT: port },
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      execArgv: [],
    })
    this.#child = child
    this.#killed = false
    let isReady = false
    child.stderr!.on('data', (data) => {
      this.complaints = (this.complaints + data).slice(-20_000)
    })
    await new Promise<void>((settled) => {
      child.once('message', (message: 'ready' | { url: string }) => {
        if (typeof message === 'object') this.url = message.url
        isReady = true
        this.starts += 1
        settled()
      })
      child.once('exit', () => {
        settled()
        if (this.#closing) return
        this.deaths += 1
        if (isReady && !this.#killed) this.endings.push(this.complaints.slice(-500))
        // A start fails while the database is down: retry after a pause.
        setTimeout(() => !this.#closing && void this.start(), 300)
      })
    })
  }

  signal(signal: NodeJS.Signals) {
    if (signal === 'SIGKILL') this.#killed = true
    this.#child?.kill(signal)
  }

  /** Ends it as a process manager does, and waits until the next one is ready. */
  async replace(): Promise<void> {
    const { starts } = this
    this.#killed = true
    this.#child?.kill('SIGTERM')
    await until(`${this.name} is there again`, () => this.starts > starts, 60_000)
  }

  async close() {
    this.#closing = true
    const child = this.#child
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    await new Promise((gone) => {
      child.once('exit', gone)
      child.kill('SIGKILL')
    })
  }
}

type Message = 'ready' | { tally?: Tally; rested?: true; verdict?: Verdict }

export type Witness = {
  tally(): Tally
  load(perSecond: number, readers: number): void
  rest(): Promise<void>
  verify(): Promise<Verdict>
  close(): void
}

/** The client in its own process, which gets no faults. */
export async function startWitness(options: WitnessOptions): Promise<Witness> {
  const child = fork(join(import.meta.dirname, 'witnessProgram.ts'), {
    env: COMPILED,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    execArgv: [],
  })
  const order = (what: Order) => child.send(what)
  let tally: Tally = { acknowledged: 0, answers: 0, refusals: 0, seen: {}, violations: [] }
  const receive = <T>(read: (message: Exclude<Message, 'ready'>) => T | undefined) =>
    new Promise<T>((resolve, reject) => {
      child.once('exit', () => reject(new Error('the witness is gone')))
      child.on('message', (message: Message) => {
        const value = typeof message === 'object' ? read(message) : undefined
        if (value !== undefined) resolve(value)
      })
    })
  await new Promise((ready) => child.once('message', ready))
  child.on('message', (message: Message) => {
    if (typeof message === 'object' && message.tally) tally = message.tally
  })
  order({ do: 'begin', options })
  return {
    tally: () => tally,
    load: (perSecond, readers) => order({ do: 'load', perSecond, readers }),
    async rest() {
      order({ do: 'rest' })
      await receive(({ rested }) => rested)
    },
    async verify() {
      order({ do: 'verify' })
      return receive(({ verdict }) => verdict)
    },
    close: () => child.kill('SIGKILL'),
  }
}
