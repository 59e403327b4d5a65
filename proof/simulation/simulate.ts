import { type Seeded, seeded } from '../testing/seeded.ts'
import { singleActors } from './actors.ts'
import type { Bug } from './bug.ts'
import { runCarefulClient } from './buyers.ts'
import { brokenAtEnd, brokenNow, unfinished } from './checkers.ts'
import { cloneDatabase, type Server, type SimDatabase } from './database.ts'
import { calm, drawRates } from './rates.ts'
import { type Scene, type SceneName, sceneOf, scenes } from './scenes.ts'
import type { Token } from './scheduler.ts'
import { openAccounts } from './setup.ts'
import { forgetSignerFiles } from './signerFiles.ts'
import { RESTS, Simulation } from './simulation.ts'

export type Plan = {
  seed: number
  /** Default: the scene of the seed. */
  scene?: SceneName | undefined
  bug?: Bug | undefined
  /** One deposit and one purchase without faults, with a crash at this step if one is given. */
  exact?: { crashAt: number | undefined }
}

export type Outcome = {
  seed: number
  scene: SceneName
  hash: string
  steps: number
  crashes: number
  /** Steps at which a process of ours could have crashed. */
  points: number[]
  orders: { completed: number; failed: number }
  deposits: { verified: number; reverted: number }
  /** Numbers of activations, calls by their result, and changes of standing Energy. */
  coverage: Record<string, number>
  /** Payments to agents by their result. */
  resale: Record<string, number>
  staking: Record<string, number>
  /** Orders at marketplaces by their result. */
  markets: Record<string, number>
  /** The broken promise, in a sentence; undefined when all held. */
  violation: string | undefined
  trace: string[]
}

type Counted = 'orders' | 'deposits' | 'coverage' | 'resale' | 'staking' | 'markets'

const LIVENESS_STEPS = 4_000
/**
 * Steps between jumps that end back-offs: long enough to learn the result of what was sent when the
 * faults ended.
 */
const PATIENCE_EVERY = 1_500
const CHECK_EVERY = 40
const FINAL_EVERY = 20
const BYTES_DIE_MS = 70_000
/** Longer than an order's two minutes plus the steps around them. */
const BLIND_MS = 130_000
const BLIND_STEPS = { before: 320, after: 100 }

/** One whole run on a database of its own. */
export async function simulate(server: Server, plan: Plan): Promise<Outcome> {
  const database = await cloneDatabase(server)
  try {
    const name = nameOf(plan)
    const statements = [...scenes[name].prepare, ...(plan.bug?.prepare ?? [])]
    for (const text of statements) await database.sql(text)
    return await new Run(plan, name, database).outcome()
  } finally {
    await database.drop()
  }
}

function nameOf({ seed, scene, bug, exact }: Plan): SceneName {
  return exact ? 'trade' : (scene ?? bug?.scene ?? sceneOf(seed))
}

class Violation extends Error {}

class Run {
  readonly #plan: Plan
  readonly #name: SceneName
  readonly #scene: Scene
  readonly #random: Seeded
  readonly #sim: Simulation
  readonly #points: number[] = []
  readonly #before = new Map<string, string>()
  readonly #places = new Map<string, number>()
  #steps = 0
  #blindUntil = 0

  constructor(plan: Plan, name: SceneName, database: SimDatabase) {
    const { seed, bug, exact } = plan
    this.#plan = plan
    this.#name = name
    this.#scene = exact ? { ...scenes[name], actors: singleActors, purse: 0n } : scenes[name]
    this.#random = seeded(seed)
    const { actors, weather, hasMarkets, hasFloats = false, limits, marketWeather } = this.#scene
    const rates = exact ? calm : { ...drawRates(this.#random), ...weather, ...bug?.weather }
    const random = this.#random
    this.#sim = new Simulation({
      seed,
      random,
      rates,
      database,
      actors,
      bug,
      hasMarkets,
      hasFloats,
      limits,
      marketWeather,
    })
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
    forgetSignerFiles(sim)
    const counts = await this.#counts()
    const { trace } = sim.scheduler
    trace.note(`${JSON.stringify(counts)} ${sim.violation ?? 'all held'}`)
    return {
      seed: this.#plan.seed,
      scene: this.#name,
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
    const { actors, clients, purse } = this.#scene
    sim.accounts = await openAccounts(sim, purse)
    await this.#scene.open?.(sim)
    for (const slot of actors.keys()) sim.start(slot)
    if (this.#plan.exact) return sim.startClient(1, (life) => runCarefulClient(sim, life))
    for (const [n, run] of clients.entries()) sim.startClient(n + 1, (life) => run(sim, life))
  }

  async #safety(): Promise<void> {
    if (this.#plan.exact) return
    while (this.#steps < this.#scene.safetySteps) await this.#step()
  }

  /** Ends the faults: all work must now finish, and the Energy must be reclaimed. */
  async #liveness(): Promise<void> {
    const sim = this.#sim
    sim.calm()
    await sim.database.sql(`update providers.provider set behaviour = 'ok'`)
    sim.restart(Number.POSITIVE_INFINITY)
    await this.#until('orders and deposits')
    await this.#check()
    this.#report(await brokenAtEnd(sim))
    sim.leap(this.#scene.restMs)
    await this.#until('reclaims')
    await this.#check()
    this.#report(await brokenAtEnd(sim))
  }

  async #until(what: 'orders and deposits' | 'reclaims'): Promise<void> {
    const sim = this.#sim
    for (let steps = 0; steps < LIVENESS_STEPS; steps++) {
      if (steps > 0 && steps % PATIENCE_EVERY === 0) sim.leap(this.#scene.patienceMs)
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
    await sim.markets?.arrive()
    if (world.isBlockDue()) {
      world.mine()
      await sim.markets?.onBlock()
    }
    const dropped = happens(world.rates.reorganisation) ? world.reorganise() : 0
    // Dropped transactions come back unless they expire first: sometimes let them expire.
    if (dropped > 0 && this.#random.once(4)) this.#jump(BYTES_DIE_MS)
    this.#holdScanners(happens(world.rates.blind))
    if (happens(world.rates.jump)) this.#jump(this.#random.pick(this.#scene.jumpsMs))
    if (happens(world.rates.moody)) {
      const behaviour = this.#random.pick(['ok', 'fail', 'down'])
      sim.trace(`own stake is ${behaviour}`)
      await sim.database.sql(
        `update providers.provider set behaviour = $1 where name = 'own_stake'`,
        [behaviour],
      )
    }
  }

  /**
   * Holds the scanners long enough for an order to be delivered unseen and for its deadline to
   * pass.
   */
  #holdScanners(isHeld: boolean): void {
    if (isHeld && this.#steps >= this.#blindUntil) {
      this.#sim.trace('scanners stand still')
      this.#blindUntil = this.#steps + BLIND_STEPS.before + BLIND_STEPS.after
    }
    this.#sim.isBlind = this.#steps < this.#blindUntil
    if (this.#steps === this.#blindUntil - BLIND_STEPS.after) this.#jump(BLIND_MS)
  }

  #jump(ms: number): void {
    this.#sim.trace(`time jumps by ${ms} ms`)
    this.#sim.world.pass(ms)
  }

  /** When every process is idle, time passes until the next one is due. */
  #choose(): Token | undefined {
    const { world, scheduler } = this.#sim
    const isHeld = ({ life }: Token) => this.#sim.isBlind && life.name.startsWith('scanner')
    const tokens = scheduler.parked().filter((token) => !isHeld(token))
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

  /** A step after the same previous step of the same process counts as a new crash point twice. */
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

  /** The first violation ends the run. */
  #report(broken: string[]): void {
    const [first] = broken
    if (first) this.#sim.fail(first)
    if (this.#sim.violation !== undefined) throw new Violation()
  }

  async #counts(): Promise<Pick<Outcome, Counted>> {
    const rows = await this.#sim.database.sql<{ room: string; what: string; count: number }>(`
      select 'orders' as room, lower(status) as what, count(*)::int from orders.purchase_order group by status
      union all
      select 'deposits', case when status = 'reverted' then status else 'verified' end, count(*)::int
        from deposits.deposit where verified_at is not null or status = 'reverted' group by 2
      union all
      select 'coverage', 'activated', count(*)::int from events.event where type = 'autoenergy.activated'
      union all
      select 'coverage', state, count(*)::int from autoenergy.call group by state
      union all
      select 'coverage', kind || ' ' || state, count(*)::int from delivery.standing_move group by kind, state
      union all
      select 'resale', status, count(*)::int from agent.payment group by status
      union all
      select 'markets', provider || ' ' || state, count(*)::int from delivery.attempt
       where called_at is not null group by provider, state
      union all
      select 'staking', action || ' ' || state, count(*)::int from staking.operation group by action, state
       union all
      select 'markets', 'credited', count(*)::int from ledger.movement where kind = 'reclaim_credit' having count(*) > 0
       union all
      select 'markets', kind || ' ' || state, count(*)::int from treasury.transfer group by kind, state
      union all
      select 'resale', 'orphaned', count(*)::int from agent.payment where orphaned
      order by 1, 2`)
    const of = (room: string): Record<string, number> =>
      Object.fromEntries(rows.flatMap((row) => (row.room === room ? [[row.what, row.count]] : [])))
    const { completed = 0, failed = 0 } = of('orders')
    const { verified = 0, reverted = 0 } = of('deposits')
    const ofTrade = { orders: { completed, failed }, deposits: { verified, reverted } }
    const markets = of('markets')
    return {
      ...ofTrade,
      coverage: of('coverage'),
      resale: of('resale'),
      staking: of('staking'),
      markets,
    }
  }
}
