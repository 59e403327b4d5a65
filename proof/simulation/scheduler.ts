import { createHash } from 'node:crypto'
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises'
import { type Seeded, seeded } from '../testing/seeded.ts'
import type { SimDatabase } from './database.ts'

/** A connection of a process, as the scheduler sees it. */
export type SimClient = { readonly isBusy: boolean; readonly pid: number }

/** One run of a process, from its start to its crash. Nothing in memory survives it. */
export class Life {
  readonly name: string
  readonly random: Seeded
  readonly clients = new Set<SimClient>()
  readonly parked: Token[] = []
  readonly onDeath: (() => void)[] = []
  isDead = false
  #scheduler: Scheduler

  constructor(scheduler: Scheduler, name: string, seed: number) {
    this.#scheduler = scheduler
    this.name = name
    this.random = seeded(seed)
  }

  /** Parks the caller until the scheduler chooses it. In a crashed process it never returns. */
  step(label: string, notBeforeMs = 0): Promise<void> {
    if (this.isDead) return new Promise(() => {})
    return new Promise((go) => {
      this.parked.push({ life: this, label, notBeforeMs, go })
      this.#scheduler.stir()
    })
  }
}

/** A parked caller. An idle one is not due before its time. */
export type Token = { life: Life; label: string; notBeforeMs: number; go: () => void }

/** The events of a run, line by line, and the hash by which two runs are compared. */
class Trace {
  readonly lines: string[] = []
  readonly #hash = createHash('sha256')

  note(line: string): void {
    this.lines.push(line)
    this.#hash.update(`${line}\n`)
  }

  digest(): string {
    return this.#hash.copy().digest('hex').slice(0, 16)
  }
}

type Sessions = Pick<SimDatabase, 'blockedOf' | 'rivalsOf' | 'terminate'>

/**
 * Decides which process continues. At most one runs at a time, and the database is asked who waits
 * for a lock, so the order of events depends on the seed alone.
 */
export class Scheduler {
  readonly trace = new Trace()
  readonly lives: Life[] = []
  readonly #database: Sessions
  #changes = 0
  /** Connections that waited for a lock at the last check. */
  #waiting = new Set<SimClient>()
  #wake: (() => void) | undefined

  constructor(database: Sessions) {
    this.#database = database
  }

  /** Signals a change: a step, an answer, the end of a connection. */
  stir(): void {
    this.#changes += 1
    this.#wake?.()
  }

  /** All parked callers, in an order that does not depend on timing. */
  parked(): Token[] {
    // Sorted by label: a commit may unblock another session of its own process, and which returns
    // first is chance.
    return this.lives.flatMap((life) => life.parked.toSorted(byLabel))
  }

  resume(token: Token): void {
    const { life, label } = token
    this.trace.note(`${life.name}: ${label}`)
    life.parked.splice(life.parked.indexOf(token), 1)
    token.go()
  }

  /** Returns when every process is parked, done, or waits for a lock that a parked one holds. */
  async settle(): Promise<void> {
    for (let quiet = 0; ; ) {
      const changes = this.#changes
      await turn()
      const busy = this.#busy()
      const isNews = busy.some((client) => !this.#waiting.has(client))
      if (isNews) await this.#nextChange(changes)
      quiet = isNews || this.#changes !== changes ? 0 : quiet + 1
      if (this.#changes !== changes || (!isNews && quiet < QUIET_TURNS)) continue
      if (busy.some(({ pid }) => pid === 0)) continue
      if (await this.#isStill(busy, changes)) return
    }
  }

  /**
   * Asks the database who waits for a lock; sessions that still wait need not be waited for again.
   */
  async #isStill(busy: SimClient[], changes: number): Promise<boolean> {
    const pids = busy.map(({ pid }) => pid)
    const blocked = pids.length > 0 ? await this.#database.blockedOf(pids) : []
    if (this.#changes !== changes) return false
    this.#waiting = new Set(busy.filter(({ pid }) => blocked.includes(pid)))
    return blocked.length === pids.length && !(await this.#endRivals(pids))
  }

  /**
   * Allows one waiter per lock and breaks the sessions behind it. PostgreSQL promises no order
   * among waiters for one row, so the machine's load would decide.
   */
  async #endRivals(pids: number[]): Promise<boolean> {
    const rivals = pids.length > 1 ? await this.#database.rivalsOf(pids) : []
    for (const life of this.lives) {
      for (const { pid } of [...life.clients]) {
        if (!rivals.includes(pid)) continue
        this.trace.note(`${life.name} is broken off: somebody waits there already`)
        await this.#database.terminate(pid)
      }
    }
    return rivals.length > 0
  }

  #busy(): SimClient[] {
    return this.lives.flatMap((life) => [...life.clients].filter((client) => client.isBusy))
  }

  async #nextChange(since: number): Promise<void> {
    if (this.#changes !== since) return
    const patience = new AbortController()
    const stirred = new Promise<void>((resolve) => {
      this.#wake = resolve
    })
    await Promise.race([
      stirred,
      pause(ASK_AFTER_MS, undefined, { signal: patience.signal }).catch(() => {}),
    ])
    patience.abort()
    this.#wake = undefined
  }
}

function byLabel(a: Token, b: Token): number {
  return a.label < b.label ? -1 : a.label > b.label ? 1 : 0
}

/**
 * Turns of the event loop without a change before all is quiet: reads and purchases wait a turn or
 * two to be batched.
 */
const QUIET_TURNS = 6
/** How long a statement may take before the database is asked whether it waits for a lock. */
const ASK_AFTER_MS = 4
