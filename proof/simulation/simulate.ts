import { type Seeded, seeded } from '../testing/seeded.ts'
import { actors, runCarefulClient, runClient, singleActors } from './actors.ts'
import type { Bug } from './bugs.ts'
import { brokenAtEnd, brokenNow, unfinished } from './checkers.ts'
import { cloneDatabase, type Server, type SimDatabase } from './database.ts'
import { calm, drawRates } from './rates.ts'
import type { Token } from './scheduler.ts'
import { openAccounts } from './setup.ts'
import { RESTS, Simulation } from './simulation.ts'

export type Plan = {
  seed: number
  bug?: Bug | undefined
  /** One deposit and one purchase without faults, and a crash exactly at this step if one is given. */
  exact?: { crashAt: number | undefined }
}

export type Outcome = {
  seed: number
  hash: string
  steps: number
  crashes: number
  /** Steps at which a process of ours could have crashed. */
  points: number[]
  orders: { completed: number; failed: number }
  deposits: { verified: number; reverted: number }
  /** What went wrong, in a sentence; undefined when every promise held. */
  violation: string | undefined
  trace: string[]
}

const SAFETY_STEPS = 900
const LIVENESS_STEPS = 3_000
const CHECK_EVERY = 40
const FINAL_EVERY = 20
const CLIENTS = 3
const ACTS = 8
const HOUR_MS = 3_600_000
const BYTES_DIE_MS = 70_000
const JUMPS_MS = [4_000, 20_000, 70_000, 130_000]

/** One run from the first step to the last, on a database of its own. */
export async function simulate(server: Server, plan: Plan): Promise<Outcome> {
  const database = await cloneDatabase(server)
  try {
    for (const text of plan.bug?.prepare ?? []) await database.sql(text)
    return await new Run(plan, database).outcome()
  } finally {
    await database.drop()
  }
}

class Violation extends Error {}

class Run {
  readonly #plan: Plan
  readonly #random: Seeded
  readonly #sim: Simulation
  readonly #points: number[] = []
  readonly #before = new Map<string, string>()
  readonly #places = new Map<string, number>()
  #steps = 0

  constructor(plan: Plan, database: SimDatabase) {
    const { seed, bug, exact } = plan
    this.#plan = plan
    this.#random = seeded(seed)
    const rates = exact ? calm : drawRates(this.#random)
    const random = this.#random
    const who = exact ? singleActors : actors
    this.#sim = new Simulation({ seed, random, rates, database, actors: who, bug })
  }

  async outcome(): Promise<Outcome> {
    const sim = this.#sim
    try {
      await this.#begin()
      await this.#safety()
      await this.#liveness()
    } catch (error) {
      if (!(error instanceof Violation)) throw error
    }
    await sim.killAll()
    const counts = await this.#counts()
    const { trace } = sim.scheduler
    trace.note(`${JSON.stringify(counts)} ${sim.violation ?? 'all held'}`)
    return {
      seed: this.#plan.seed,
      hash: trace.digest(),
      steps: this.#steps,
      crashes: sim.crashes,
      points: this.#points,
      ...counts,
      violation: sim.violation,
      trace: trace.lines,
    }
  }

  async #begin(): Promise<void> {
    const sim = this.#sim
    const { exact } = this.#plan
    sim.accounts = await openAccounts(sim)
    for (const slot of (exact ? singleActors : actors).keys()) sim.start(slot)
    if (exact) return sim.startClient(1, (life) => runCarefulClient(sim, life))
    for (let n = 1; n <= CLIENTS; n++) sim.startClient(n, (life) => runClient(sim, life, ACTS))
  }

  async #safety(): Promise<void> {
    if (this.#plan.exact) return
    while (this.#steps < SAFETY_STEPS) await this.#step()
  }

  /** The faults are over: whatever was begun must now come to its end, and the Energy come back. */
  async #liveness(): Promise<void> {
    const sim = this.#sim
    sim.trace('without faults from here on')
    sim.isCalm = true
    sim.world.rates = { ...calm, skewMs: sim.world.rates.skewMs }
    await sim.database.sql(`update providers.provider set behaviour = 'ok'`)
    sim.restart(Number.POSITIVE_INFINITY)
    await this.#until('orders and deposits')
    await this.#check()
    this.#report(await brokenAtEnd(sim))
    sim.world.pass(HOUR_MS)
    await this.#until('reclaims')
    await this.#check()
    this.#report(await brokenAtEnd(sim))
  }

  async #until(what: 'orders and deposits' | 'reclaims'): Promise<void> {
    const sim = this.#sim
    for (let steps = 0; steps < LIVENESS_STEPS; steps++) {
      await this.#step()
      if (steps % FINAL_EVERY !== 0 || sim.clientsLeft > 0) continue
      if ((await unfinished(sim, what)).length === 0) return
    }
    const left = await unfinished(sim, what)
    this.#report([`after ${LIVENESS_STEPS} steps without faults: ${left.join('; ')}`])
  }

  async #step(): Promise<void> {
    const sim = this.#sim
    await sim.scheduler.settle()
    this.#report([])
    this.#steps += 1
    sim.world.pass(this.#random.below(sim.world.rates.stepMs))
    await this.#worldMoves()
    sim.restart(this.#steps)
    const token = this.#choose()
    if (!token) return
    if (this.#dies(token)) await sim.crash(token.life, this.#steps)
    else sim.scheduler.resume(token)
    if (this.#steps % CHECK_EVERY !== 0) return
    await sim.scheduler.settle()
    await this.#check()
  }

  async #worldMoves(): Promise<void> {
    const sim = this.#sim
    const { world } = sim
    const happens = (rate: number) => this.#random.fraction() < rate
    if (world.isBlockDue()) world.mine()
    const dropped = happens(world.rates.reorganisation) ? world.reorganise() : 0
    // What is gone comes back unless its bytes die first, so now and then they do.
    if (dropped > 0 && this.#random.once(4)) this.#jump(BYTES_DIE_MS)
    if (happens(world.rates.jump)) this.#jump(this.#random.pick(JUMPS_MS))
    if (happens(world.rates.moody)) {
      const behaviour = this.#random.pick(['ok', 'fail', 'down'])
      sim.trace(`own stake is ${behaviour}`)
      await sim.database.sql(`update providers.provider set behaviour = $1`, [behaviour])
    }
  }

  #jump(ms: number): void {
    this.#sim.trace(`time jumps by ${ms} ms`)
    this.#sim.world.pass(ms)
  }

  /** When everybody rests, time passes until the first has something to do. */
  #choose(): Token | undefined {
    const { world, scheduler } = this.#sim
    const tokens = scheduler.parked()
    const isWoken = this.#random.fraction() < world.rates.wake
    if (isWoken && tokens.length > 0) return this.#random.pick(tokens)
    const ready = tokens.filter(({ notBeforeMs }) => notBeforeMs <= world.nowMs)
    if (ready.length > 0) return this.#random.pick(ready)
    const next = Math.min(world.blockDueMs, ...tokens.map((token) => token.notBeforeMs))
    world.pass(Math.max(0, next - world.nowMs))
    return undefined
  }

  #dies({ life, label }: Token): boolean {
    if (life.name.startsWith('client')) return false
    const { exact } = this.#plan
    if (!exact) return this.#random.fraction() < this.#sim.world.rates.crash
    if (label !== RESTS && this.#isNewPlace(life.name, label)) this.#points.push(this.#steps)
    return exact.crashAt === this.#steps
  }

  /** The same step after the same step of the same process, for the third time, is no new place. */
  #isNewPlace(name: string, label: string): boolean {
    const place = `${name} ${this.#before.get(name)} ${label}`
    this.#before.set(name, label)
    const times = (this.#places.get(place) ?? 0) + 1
    this.#places.set(place, times)
    return times <= 2
  }

  async #check(): Promise<void> {
    this.#report(await brokenNow(this.#sim))
  }

  /** The first thing that goes wrong ends the run. */
  #report(broken: string[]): void {
    const [first] = broken
    if (first) this.#sim.fail(first)
    if (this.#sim.violation !== undefined) throw new Violation()
  }

  async #counts(): Promise<Pick<Outcome, 'orders' | 'deposits'>> {
    const [row] = await this.#sim.database.sql<{
      completed: number
      failed: number
      verified: number
      reverted: number
    }>(`
      select (select count(*)::int from orders.purchase_order where status = 'COMPLETED') as completed,
             (select count(*)::int from orders.purchase_order where status = 'FAILED') as failed,
             (select count(*)::int from deposits.deposit where verified_at is not null) as verified,
             (select count(*)::int from deposits.deposit where status = 'reverted') as reverted`)
    const { completed, failed, verified, reverted } = row!
    return { orders: { completed, failed }, deposits: { verified, reverted } }
  }
}
