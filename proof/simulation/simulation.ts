import { type HexAddress, NodeTrouble } from '@ergon/tron'
import type { Rooms } from '../../service/app/rooms.ts'
import { openDb } from '../../service/db/index.ts'
import { CREDIT_LIMITS, type CreditLimits } from '../../service/deposits/index.ts'
import { type Log, type MovableClock, type Runtime, silentLog } from '../../service/kernel/index.ts'
import type { Marketplace } from '../../service/providers/index.ts'
import type { Seeded } from '../testing/seeded.ts'
import type { Asked } from './asked.ts'
import { ConnectionLost, clientClass, type Intercept } from './client.ts'
import type { SimDatabase } from './database.ts'
import { Markets, type Taking, type Wire } from './markets.ts'
import { calm, type MarketRates, type Rates } from './rates.ts'
import { Life, Scheduler } from './scheduler.ts'
import { World } from './world.ts'

/** A purchase as it was acknowledged to the client. */
export type Acknowledged = { account: string; key: string | undefined; body: string }

export type Account = { id: string; depositAddress: string }

/** A configuration as it was acknowledged to its owner. */
export type Config = { id: string; account: string; address: string; isOurs: boolean }

/** An address that its owner covers within budgets, in SUN. */
export type Budgeted = {
  wallet: { address: HexAddress; privateKey: string }
  address: string
  account: Account
  daily: bigint | null
  monthly: bigint | null
}

/** A process that may crash and is then started again without memory. */
export type Actor = { name: string; run(sim: Simulation, life: Life): Promise<void> }

/** How an injected bug changes a run. */
export type Sabotage = {
  marketWeather?: Partial<MarketRates>
  /** Changes statements. Created anew for each process, because some have state. */
  intercept?(): Intercept
  /** Changes requests to marketplaces. */
  spoil?(wire: Wire): Wire
}

type Parts = {
  seed: number
  random: Seeded
  rates: Rates
  database: SimDatabase
  actors: readonly Actor[]
  bug: Sabotage | undefined
  hasMarkets: boolean
  hasFloats: boolean
  limits: CreditLimits | undefined
  marketWeather: Partial<MarketRates> | undefined
}

const REST_MS = { shortest: 500, longest: 4_000 }
/** Longer pauses without faults: there is less to race for. */
const CALM_REST_MS = { shortest: 3_000, longest: 12_000 }
const DEAD_STEPS_MAX = 30

/** One world, one database and the processes that work on it, for one seed. */
export class Simulation {
  readonly scheduler: Scheduler
  readonly world: World
  readonly database: SimDatabase
  /** Marketplaces, in the scenes that have them. */
  readonly markets: Markets | undefined
  /** Limits of unverified credit. */
  readonly limits: CreditLimits
  readonly acknowledged: Acknowledged[] = []
  /** Traces of the refused purchases. */
  readonly refused: string[] = []
  accounts: Account[] = []
  /** Purchases that wholesalers asked for. */
  readonly asked: Asked[] = []
  /** Covered addresses with their budgets. */
  readonly budgeted: Budgeted[] = []
  /** Energy that sellers took back. */
  readonly takings: Taking[] = []
  /** Skipped payments that clients were told are sold, and whether they were final then. */
  readonly redelivered: { txid: string; isFinal: boolean }[] = []
  /** Configurations that were acknowledged to clients. */
  readonly configs: Config[] = []
  crashes = 0
  clientsLeft = 0
  /** Whether the scanners stand still. */
  isBlind = false
  /** When the faults ended and time began to pass evenly. */
  calmSinceMs: number | undefined
  /** The first broken promise, in a sentence. */
  violation: string | undefined
  readonly #parts: Parts
  readonly #served = new Map<string, { life: Life; rooms: Rooms }>()
  #asked = 0
  readonly #births = new Map<string, number>()
  #resting: { slot: number; untilStep: number }[] = []

  constructor(parts: Parts) {
    this.#parts = parts
    this.limits = parts.limits ?? CREDIT_LIMITS
    this.database = parts.database
    this.scheduler = new Scheduler(parts.database)
    this.world = new World({ ...parts, scheduler: this.scheduler })
    this.trace(JSON.stringify(parts.rates))
    const { scheduler, world } = this
    const now = () => world.nowMs
    const { seed, bug, hasMarkets, hasFloats: takesTopUps } = parts
    const outside = {
      seed,
      chain: world.chain,
      scheduler,
      now,
      weather: { ...parts.marketWeather, ...bug?.marketWeather },
      takesTopUps,
    }
    this.markets = hasMarkets ? new Markets(outside) : undefined
  }

  /** Ends the faults. */
  calm(): void {
    this.trace('without faults from here on')
    this.world.rates = { ...calm, skewMs: this.world.rates.skewMs }
    this.markets?.calm()
    this.isBlind = false
    this.leap(0)
  }

  /** Without faults, lets this much time pass at once. */
  leap(ms: number): void {
    this.world.pass(ms)
    this.calmSinceMs = this.world.nowMs
  }

  get isCalm(): boolean {
    return this.calmSinceMs !== undefined
  }

  marketplacesFor(life: Life, clock: MovableClock): Marketplace[] {
    return this.markets?.adaptersFor(life, clock, this.#parts.bug?.spoil) ?? []
  }

  trace(line: string): void {
    this.scheduler.trace.note(line)
  }

  fail(sentence: string): void {
    this.violation ??= sentence
  }

  async openDb(
    life: Life,
    runtime: Runtime,
    role: 'ergon_app' | 'ergon_signer',
    connections: number,
  ) {
    const { scheduler, database, world } = this
    const parts = {
      life,
      scheduler,
      now: () => new Date(world.nowMs),
      breakage: ({ random }: Life) => {
        if (random.fraction() >= world.rates.breakage) return undefined
        return random.once(2) ? ('before' as const) : ('after' as const)
      },
      terminate: database.terminate,
      intercept: this.#parts.bug?.intercept?.(),
    }
    const Client = clientClass(parts, (where) => this.fail(`a deadlock at ${where}`))
    // Finding the primary takes I/O: hold the scheduler meanwhile.
    const opening = { isBusy: true, pid: 0 }
    life.clients.add(opening)
    try {
      return await openDb({
        urls: [database.url(role)],
        connections,
        runtime,
        log: silentLog,
        name: life.name,
        Client: Client as never,
      })
    } finally {
      life.clients.delete(opening)
      scheduler.stir()
    }
  }

  /** Runs work that simulated faults may break. Such an error is ignored; any other is a bug. */
  async attempt<T>(life: Life, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work()
    } catch (error) {
      if (!isTheWorlds(error)) this.fail(`${life.name} failed: ${(error as Error).stack}`)
      this.trace(`${life.name} gives up a round: ${(error as Error).name}`)
      return undefined
    }
  }

  /** An item that the service sets aside failed like a whole round, so count it. */
  logOf(life: Life): Log {
    return {
      ...silentLog,
      error: (event, { error } = {}) => {
        if (event !== 'put_aside' || isTheWorlds(error)) return
        this.fail(`${life.name} failed: ${(error as Error).stack}`)
      },
    }
  }

  /** Idles until the process polls again, as its timer would. */
  rest(life: Life): Promise<void> {
    const { shortest, longest } = this.isCalm ? CALM_REST_MS : REST_MS
    const ms = shortest + life.random.below(longest - shortest)
    return life.step(RESTS, this.world.nowMs + ms)
  }

  serve(life: Life, rooms: Rooms): void {
    this.#served.set(life.name.split('.')[0]!, { life, rooms })
  }

  /** A client's request to one of the nodes; undefined when no answer arrives. */
  async call<T>(client: Life, work: (rooms: Rooms) => Promise<T>): Promise<T | undefined> {
    const up = [...this.#served.values()].filter(({ life }) => !life.isDead)
    await client.step(`calls one of ${up.length}`)
    if (up.length === 0) return undefined
    const { life, rooms } = client.random.pick(up)
    if (life.isDead) return undefined
    return new Promise((answer) => {
      life.onDeath.push(() => answer(undefined))
      void this.attempt(life, () => work(rooms)).then(answer)
    })
  }

  /** A new trace for each purchase. */
  nextTrace(): string {
    this.#asked += 1
    return `purchase ${this.#asked}`
  }

  acknowledge(answer: Acknowledged): void {
    const first = this.acknowledged.find(
      ({ account, key }) =>
        answer.key !== undefined && account === answer.account && key === answer.key,
    )
    if (first && first.body !== answer.body) {
      this.fail(`key ${answer.key} was answered ${first.body} and then ${answer.body}`)
    }
    this.acknowledged.push(answer)
    this.trace(`acknowledged ${answer.key ?? 'without a key'}: ${answer.body}`)
  }

  /** Starts every process, and restarts those that were down long enough. */
  start(slot: number): void {
    this.#resting = this.#resting.filter((rest) => rest.slot !== slot)
    const actor = this.#parts.actors[slot]!
    const life = this.#born(actor.name)
    this.scheduler.lives[slot] = life
    this.#run(life, actor.run(this, life))
  }

  restart(step: number): void {
    for (const { slot, untilStep } of [...this.#resting]) if (untilStep <= step) this.start(slot)
  }

  startClient(n: number, live: (life: Life) => Promise<void>): void {
    const life = this.#born(`client-${n}`)
    this.scheduler.lives.push(life)
    this.clientsLeft += 1
    const done = () => {
      this.clientsLeft -= 1
    }
    this.#run(life, live(life).then(done))
  }

  async crash(life: Life, step: number): Promise<void> {
    this.crashes += 1
    this.trace(`${life.name} crashes at ${life.parked.map(({ label }) => label).join(', ')}`)
    await this.#kill(life)
    const untilStep = step + 1 + this.#parts.random.below(DEAD_STEPS_MAX)
    this.#resting.push({ slot: this.scheduler.lives.indexOf(life), untilStep })
  }

  async killAll(): Promise<void> {
    for (const life of this.scheduler.lives) if (!life.isDead) await this.#kill(life)
  }

  async #kill(life: Life): Promise<void> {
    life.isDead = true
    life.parked.length = 0
    for (const tell of life.onDeath) tell()
    for (const { pid } of life.clients) await this.database.terminate(pid)
  }

  #run(life: Life, work: Promise<void>): void {
    work.catch((error: Error) => {
      if (!life.isDead) this.fail(`${life.name} ended: ${error.stack}`)
    })
  }

  #born(name: string): Life {
    const births = (this.#births.get(name) ?? 0) + 1
    this.#births.set(name, births)
    const seed = numberOf(`${this.#parts.seed} ${name} ${births}`)
    return new Life(this.scheduler, `${name}.${births}`, seed)
  }
}

/** The label of a process that has nothing to do. */
export const RESTS = 'rests'

/**
 * Constraint hit when two processes built the same bytes for one block; the database accepted one.
 */
const SAME_BYTES = 'one_request_per_transaction'

function isTheWorlds(error: unknown): boolean {
  if (error instanceof ConnectionLost || error instanceof NodeTrouble) return true
  const { code, constraint, message, name } = error as {
    code?: string
    constraint?: string
    message: string
    name: string
  }
  // A reorganisation between the reads of the block and of its receipts.
  if (constraint === SAME_BYTES || name === 'ReceiptsMissing') return true
  return code === '57P01' || message.startsWith('Connection terminated')
}

function numberOf(text: string): number {
  let hash = 2_166_136_261
  for (const char of text) hash = Math.imul(hash ^ char.charCodeAt(0), 16_777_619)
  return hash >>> 0
}
