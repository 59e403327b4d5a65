import pg from 'pg'
import type { Life, Scheduler, SimClient } from './scheduler.ts'

/** The connection broke. The caller has to find out whether the statement took effect. */
export class ConnectionLost extends Error {
  override name = 'ConnectionLost'
}

type Config = { name?: string; text: string; values?: unknown[] }
type Callback = (error: Error | undefined, result?: pg.QueryResult) => void

/** A statement about to be sent; an injected bug may change it. */
export type Statement = { name: string; text: string; values: unknown[] }
export type Intercept = (
  statement: Statement,
  connection: {
    run(statement: Statement): Promise<pg.QueryResult>
    step(label: string): Promise<void>
  },
) => Promise<pg.QueryResult>

export type ClientParts = {
  life: Life
  scheduler: Scheduler
  /** The clock of the database, which decides when leases expire. */
  now(): Date
  /** Draws whether this statement's connection breaks, and when. */
  breakage(life: Life): 'before' | 'after' | undefined
  terminate(pid: number): Promise<void>
  intercept: Intercept | undefined
}

/**
 * Session settings without the timeouts: they use the machine's clock, so a slow machine would run
 * another schedule.
 */
const OPTIONS = '-c search_path= -c timezone=UTC'
/** The statement that sets up a session, skipped here: the startup message has done it. */
const SETTINGS = 'select set_config('
const DEADLOCK = '40P01'

/**
 * A class of connections for one life: counts pending statements, breaks connections, reports
 * deadlocks.
 */
export function clientClass(parts: ClientParts, onDeadlock: (text: string) => void) {
  const { life, scheduler } = parts

  return class extends pg.Client implements SimClient {
    pid = 0
    #underWay = 0
    #isOpen = false
    #lost = false
    #inTransaction = false
    /** A transaction begins with its first statement, for the same reason as in `connect`. */
    #toBegin = false

    constructor(config: pg.ClientConfig) {
      super({ ...config, options: OPTIONS })
      this.on('error', () => {})
      this.once('end', () => {
        life.clients.delete(this)
        scheduler.stir()
      })
    }

    get isBusy(): boolean {
      return this.#underWay > 0
    }

    /**
     * Connects with the first statement: if several connections opened at once, their order would
     * depend on timing.
     */
    // biome-ignore lint/suspicious/noExplicitAny: pg's overloads cannot be written down again
    override connect(callback?: any): any {
      life.clients.add(this)
      queueMicrotask(() => callback?.(undefined, this))
    }

    async #open(): Promise<void> {
      this.#isOpen = true
      await new Promise<void>((resolve, reject) => {
        const ended = (error?: Error) => (error ? reject(error) : resolve())
        super.connect(ended as () => void)
      })
      this.pid = (this as unknown as { processID: number | null }).processID ?? 0
    }

    // biome-ignore lint/suspicious/noExplicitAny: pg's overloads cannot be written down again
    override query(given: any, values?: any, callback?: any): any {
      const back: Callback | undefined = typeof values === 'function' ? values : callback
      const answer = this.#answer(given)
      if (!back) return answer
      answer.then(
        (result) => back(undefined, result),
        (error) => back(error),
      )
    }

    async #answer(given: string | Config): Promise<pg.QueryResult> {
      if (life.isDead) return new Promise(() => {})
      if (this.#lost) throw new ConnectionLost('the connection is gone')
      if (typeof given === 'string') {
        return given.startsWith(SETTINGS) ? nothing(given) : this.#control(given)
      }
      const statement = { name: given.name ?? '', text: given.text, values: given.values ?? [] }
      const breakage = this.#inTransaction ? undefined : parts.breakage(life)
      if (breakage === 'before') await this.#break()
      const connection = {
        run: (one: Statement) => this.#send(one),
        step: (label: string) => life.step(label),
      }
      const result = parts.intercept
        ? await parts.intercept(statement, connection)
        : await this.#send(statement)
      if (breakage === 'after') await this.#break()
      return result
    }

    /** begin, commit, rollback. */
    async #control(text: string): Promise<pg.QueryResult> {
      const breakage = text === 'commit' ? parts.breakage(life) : undefined
      this.#inTransaction = text === 'begin'
      if (breakage === 'before') await this.#break()
      if (this.#toBegin || text === 'begin') {
        this.#toBegin = text === 'begin'
        return nothing(text)
      }
      const plain = { name: text, text, values: [] }
      const connection = {
        run: (one: Statement) => this.#send(one),
        step: (label: string) => life.step(label),
      }
      const result = parts.intercept
        ? await parts.intercept(plain, connection)
        : await this.#send(plain)
      if (breakage === 'after') await this.#break()
      return result
    }

    async #send({ name, text, values }: Statement): Promise<pg.QueryResult> {
      this.#underWay += 1
      try {
        if (!this.#isOpen) await this.#open()
        if (this.#toBegin) {
          this.#toBegin = false
          await this.#plain('begin', 'begin', [])
        }
        if (!text.includes('clock_timestamp()')) return await this.#plain(name, text, values)
        await super.query(`select set_config('sim.now', $1, false)`, [parts.now().toISOString()])
        const timeless = text.replaceAll(
          'clock_timestamp()',
          `current_setting('sim.now')::timestamptz`,
        )
        return await this.#plain(name, timeless, values)
      } catch (error) {
        if ((error as { code?: string }).code === DEADLOCK) onDeadlock(`${life.name}: ${name}`)
        if (life.isDead) return new Promise(() => {})
        throw error
      } finally {
        this.#underWay -= 1
        scheduler.stir()
      }
    }

    #plain(name: string, text: string, values: unknown[]): Promise<pg.QueryResult> {
      const isControl = name === text
      return isControl ? super.query(text) : super.query({ name, text, values })
    }

    /** Ends the server's session, and waits until what it had not committed is rolled back. */
    async #break(): Promise<never> {
      this.#lost = true
      // The client emits 'end' before the server's session has ended, so hold the scheduler
      // meanwhile.
      const ending = { isBusy: true, pid: 0 }
      life.clients.add(ending)
      await parts.terminate(this.pid)
      life.clients.delete(ending)
      scheduler.stir()
      throw new ConnectionLost('the connection broke')
    }
  }
}

function nothing(command: string): pg.QueryResult {
  return { rows: [], rowCount: 0, command, oid: 0, fields: [] }
}
