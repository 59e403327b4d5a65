import type { Db, Tx } from '../db/index.ts'
import { createLoop, type Log, type Loop } from '../kernel/index.ts'
import type { Behaviour, Offer, PartToPlace, Prepared, Provider } from './provider.ts'
import {
  freshOffers,
  type ProviderRow,
  readProviders,
  withdrawOffer,
  writeOffer,
  writeProvider,
} from './store.ts'

export type Providers = {
  /** Cheapest first; at most a second old. Accepted purchases are taken off until the next reading. */
  offers(): readonly Offer[]
  takeOff(provider: string, energy: bigint): void
  /** Asks one provider to prepare a part, in the transaction that writes the attempt. */
  prepare(tx: Tx, name: string, part: PartToPlace): Promise<Prepared>
  list(): Promise<ProviderRow[]>
  /** False when there is no such provider. */
  change(
    name: string,
    change: { behaviour?: Behaviour | undefined; unitPrice?: bigint | undefined },
  ): Promise<boolean>
  refresh(): Promise<void>
  /** Asks every provider and writes its offer; one process of the house does it. */
  pollLoop: Loop
  /** Reads the written offers into this process. */
  readLoop: Loop
}

const FRESH_MS = 10_000

export function createProviders(deps: {
  db: Db
  log: Log
  adapters: readonly Provider[]
}): Providers {
  const { db, log } = deps
  const adapters = new Map(deps.adapters.map((adapter) => [adapter.name, adapter]))
  let current: Offer[] = []

  async function refresh() {
    current = await db.query(freshOffers, [FRESH_MS])
  }

  async function poll(): Promise<number> {
    for (const { name, enabled, behaviour } of await db.query(readProviders)) {
      const adapter = adapters.get(name)
      if (!adapter || !enabled || behaviour === 'down') {
        await db.query(withdrawOffer, [name])
        continue
      }
      try {
        const { unitPrice, capacity } = await adapter.readOffer()
        await db.query(writeOffer, [name, unitPrice, capacity])
      } catch (error) {
        log.warn('offer_unreadable', { provider: name, error })
      }
    }
    return 0
  }

  return {
    offers: () => current,
    takeOff(provider, energy) {
      const offer = current.find((one) => one.provider === provider)
      if (offer) offer.capacity -= energy
    },
    async prepare(tx, name, part) {
      const adapter = adapters.get(name)
      const row = (await tx.query(readProviders)).find((provider) => provider.name === name)
      if (!adapter || !row?.enabled) return { state: 'refused', reason: `${name} is switched off` }
      if (row.behaviour === 'fail' || row.behaviour === 'down') {
        return { state: 'refused', reason: `${name} refused the order` }
      }
      return adapter.prepare(tx, part)
    },
    list: () => db.query(readProviders),
    async change(name, { behaviour, unitPrice }) {
      const changed = await db.query(writeProvider, [name, behaviour ?? null, unitPrice ?? null])
      await poll()
      await refresh()
      return changed.length > 0
    },
    async refresh() {
      await poll()
      await refresh()
    },
    pollLoop: createLoop({ name: 'providers.poll', everyMs: 1_000, work: poll, log }),
    readLoop: createLoop({
      name: 'providers.read',
      everyMs: 1_000,
      work: () => refresh().then(() => 0),
      log,
    }),
  }
}
