import type { BlockFacts, OrphanedBlock } from '../chain/index.ts'
import { createApart, type Db, type Tx } from '../db/index.ts'
import { type Clock, createLoop, type Log, type Loop } from '../kernel/index.ts'
import { offersSeen } from './due.sql.ts'
import { createInventory, type Taken } from './inventory.ts'
import { createLimits, type Limits } from './limits.ts'
import type { Marketplace, Terms } from './marketplace.ts'
import { createMoving, type Underway } from './moving.ts'
import { createPolling, FRESH_MS } from './polling.ts'
import type {
  Absent,
  Behaviour,
  Offer,
  PartToPlace,
  Prepared,
  Provider,
  ProviderChange,
} from './provider.ts'
import {
  type HealthRow,
  noteFailed,
  noteFilled,
  type ProviderRow,
  readHealth,
  readMarket,
  readProviders,
  registerProviders,
  sumFloats,
  switchProvider,
  takeTurn,
  withdrawOffer,
  writeOffer,
  writeProvider,
} from './providers.sql.ts'
import { askStandIn, type StandIns } from './standIn.ts'
import { createUnreadable } from './unreadable.ts'

export type Providers = Pick<Limits, 'mayCall'> & {
  /** Cheapest first; at most a second old. Accepted purchases are subtracted until the next reading. */
  offers(): readonly Offer[]
  takeOff(provider: string, energy: bigint): Taken
  /** The same reading for planning: plans are subtracted, purchases are not. */
  stock(): readonly Offer[]
  take(provider: string, energy: bigint): void
  /** Providers that the same reading could not consider. */
  absent(): readonly Absent[]
  /** Asks one provider to prepare parts, in the transaction that writes their attempts. */
  prepare(tx: Tx, name: string, parts: readonly PartToPlace[]): Promise<Prepared[]>
  /** The time until which a scripted fault of the sandbox delays own stake. */
  heldUntil(tx: Tx, name: string): Promise<Date | undefined>
  marketplaces: ReadonlyMap<string, Marketplace>
  /** Whether one of these attempts goes on without a scripted fault of the sandbox to hold it. */
  isSomeMoving(attempts: readonly Underway[]): Promise<boolean>
  /** False while it is switched off or its circuit is open; true for one order that probes it. */
  mayOrder(name: string): Promise<boolean>
  /** Records an order's outcome, for the fill rate and the circuit breaker. */
  noteOutcome(name: string, filled: boolean): Promise<void>
  list(): Promise<ProviderRow[]>
  /** Each provider with its offer, its fill rate, and why it cannot sell now. */
  health(): Promise<HealthRow[]>
  /** The prepaid balance as the marketplace says it now; undefined when it cannot be asked. */
  readFloat(name: string): Promise<bigint | undefined>
  /** Sum of our prepaid balances at marketplaces, in SUN. */
  floats(): Promise<bigint>
  /** The kill switch of one provider. False when there is no such provider. */
  setEnabled(name: string, enabled: boolean): Promise<boolean>
  /** The same in the caller's transaction: nothing is ordered there until somebody switches it on. */
  pause(tx: Tx, name: string): Promise<void>
  /** False when there is no such provider. */
  change(name: string, change: ProviderChange): Promise<boolean>
  /** Inserts the rows of this service's marketplaces. */
  register(): Promise<void>
  refresh(): Promise<void>
  /** Polls every provider and writes its offer; each is claimed by one process. */
  pollLoop: Loop
  /** Reads the written offers into this process. */
  readLoop: Loop
  onBlock(tx: Tx, block: BlockFacts): Promise<void>
  onOrphan(tx: Tx, block: OrphanedBlock): Promise<void>
}

/** Failures in a row that open the circuit of a provider; later one order probes it. */
const FAILURES_MAX = 5
const SHUT_SECONDS = 30
/** The sandbox's `late`, by business time. */
const LATE_MS = 180_000

type Deps = {
  db: Db
  clock: Clock
  log: Log
  own: Provider
  marketplaces: readonly Marketplace[]
  standIns: StandIns
  /** Runs in the transaction that makes marketplaces known. */
  onRegister: readonly ((tx: Tx, names: readonly string[]) => Promise<void>)[]
}

export function createProviders(deps: Deps): Providers {
  const { db, clock, log, own, standIns } = deps
  const marketplaces = new Map(deps.marketplaces.map((market) => [market.name, market]))
  const limits = createLimits(db, marketplaces)
  const forSale = createInventory(clock)
  const stock = createInventory(clock)
  const apart = createApart(deps, { loop: 'providers.poll', kind: 'provider' })
  const unreadable = createUnreadable(log)
  let absent: Absent[] = []
  let begun = 0
  let shown = 0

  async function read() {
    const turn = ++begun
    const readMs = clock.elapsedMs()
    const rows = await db.query(readMarket, [FRESH_MS])
    // Ignore a reading that a newer one has overtaken.
    if (turn < shown) return
    shown = turn
    forSale.fill(rows, readMs)
    stock.fill(rows, readMs)
    absent = rows.flatMap(({ provider, unable }) => (unable ? [{ provider, why: unable }] : []))
  }

  async function pollOne(row: ProviderRow): Promise<boolean> {
    const { name, enabled, behaviour, capacity, askedAt } = row
    const adapter = name === own.name ? own : marketplaces.get(name)
    const down = adapter === own && behaviour === 'down'
    if (!adapter || !enabled || down) {
      await db.query(withdrawOffer, [name])
      return false
    }
    // Counted but never delayed: otherwise the offer would go stale behind orders and look-ups.
    await limits.countCall(name, 'offer')
    const terms = await adapter.readOffer().catch((error) => unreadable.failed(name, error))
    if (!terms) return false
    unreadable.well(name)
    const float = terms.float ?? null
    await db.query(writeOffer, [name, ...columnsOf(terms, capacity), askedAt, float])
    return true
  }

  const polling = createPolling({ ...deps, apart, pollOne })

  const rowOf = async (tx: Tx, name: string) =>
    (await tx.query(readProviders)).find((provider) => provider.name === name)

  return {
    offers() {
      polling.noteAsked()
      return forSale.offers()
    },
    takeOff(provider, energy) {
      polling.noteTaken()
      return forSale.take(provider, energy)
    },
    stock: stock.offers,
    take(provider, energy) {
      polling.noteTaken()
      stock.take(provider, energy).keep()
    },
    absent: () => absent,
    async prepare(tx, name, parts) {
      polling.noteTaken()
      const row = await rowOf(tx, name)
      if (name !== own.name || !row?.enabled) {
        return parts.map(() => ({ state: 'refused', reason: `${name} is switched off` }))
      }
      return prepareAs(row.behaviour, own, tx, parts)
    },
    async heldUntil(tx, name) {
      const row = name === own.name ? await rowOf(tx, name) : undefined
      const waitMs = row ? waitOf(row) : 0
      return waitMs > 0 ? new Date(clock.now().getTime() + waitMs) : undefined
    },
    marketplaces,
    isSomeMoving: createMoving({ db, standIns, own: own.name }),
    mayCall: limits.mayCall,
    mayOrder: async (name) =>
      (await db.query(takeTurn, [name, FAILURES_MAX, SHUT_SECONDS])).length > 0,
    async noteOutcome(name, filled) {
      if (filled) return void (await db.query(noteFilled, [name]))
      const [row] = await db.query(noteFailed, [name, FAILURES_MAX, SHUT_SECONDS])
      if (row?.failures === BigInt(FAILURES_MAX)) log.warn('provider_shut_out', { provider: name })
    },
    list: () => db.query(readProviders),
    health: () => db.query(readHealth, [FRESH_MS]),
    async readFloat(name) {
      const market = marketplaces.get(name)
      if (!market) return undefined
      await limits.countCall(name, 'offer')
      const terms = await market.readOffer().catch((error) => unreadable.failed(name, error))
      return terms ? terms.float : undefined
    },
    floats: async () => (await db.query(sumFloats))[0]!.amount,
    async setEnabled(name, enabled) {
      const switched = await db.query(switchProvider, [name, enabled])
      // When it is enabled again, the next poll writes its offer.
      if (!enabled) await db.query(withdrawOffer, [name])
      polling.soon()
      await read()
      return switched.length > 0
    },
    async pause(tx, name) {
      await tx.query(switchProvider, [name, false])
      await tx.query(withdrawOffer, [name])
    },
    async change(name, { behaviour, unitPrice, capacity, delayMs }) {
      await askStandIn(standIns, name, { behaviour, unitPrice, capacity, delayMs })
      const wanted = [behaviour ?? null, unitPrice ?? null, capacity ?? null, delayMs ?? null]
      const changed = await db.query(writeProvider, [name, ...wanted])
      const [row] = (await db.query(readProviders)).filter((provider) => provider.name === name)
      // Withdraw the old offer even if the provider does not answer now.
      if (row && !(await pollOne(row))) await db.query(withdrawOffer, [name])
      await read()
      return changed.length > 0
    },
    async register() {
      if (marketplaces.size === 0) return
      const names = [...marketplaces.keys()]
      await db.transaction(async (tx) => {
        await tx.query(registerProviders, [names])
        for (const participant of deps.onRegister) await participant(tx, names)
      })
    },
    async refresh() {
      await polling.all()
      await read()
    },
    pollLoop: polling.loop,
    readLoop: createLoop({
      name: 'providers.read',
      everyMs: 1_000,
      follows: offersSeen(FRESH_MS),
      work: () => read().then(() => 0),
      log,
    }),
    onBlock: own.onBlock,
    onOrphan: own.onOrphan,
  }
}

/** Own stake with the sandbox's behaviour; in production always `ok`. */
async function prepareAs(
  behaviour: Behaviour,
  own: Provider,
  tx: Tx,
  parts: readonly PartToPlace[],
): Promise<Prepared[]> {
  switch (behaviour) {
    case 'fail':
    case 'down':
      return parts.map(() => ({ state: 'refused', reason: `${own.name} refused the order` }))
    case 'timeout_before_accept':
    case 'lost_delegation':
      return own.prepare(tx, parts, { silent: true })
    case 'partial':
      return own.prepare(tx, parts, { half: true })
    default:
      return own.prepare(tx, parts)
  }
}

/** Delay between accepting an order and acting on it, for the sandbox. */
function waitOf({ behaviour, delayMs }: ProviderRow): number {
  if (behaviour === 'fail' || behaviour === 'down') return 0
  return behaviour === 'late' ? LATE_MS : Number(delayMs)
}

function columnsOf({ unitPrice, capacity, minimum, surcharge }: Terms, bound: bigint | null) {
  const offered = bound !== null && bound < capacity ? bound : capacity
  return [unitPrice, offered, minimum, surcharge?.below ?? null, surcharge?.amount ?? null]
}
