import type { HexAddress } from '@ergon/tron'
import type { Queryable, Tx } from '../db/index.ts'
import {
  callersSince,
  currentSnapshot,
  insertCallers,
  insertWatched,
  watchedSince,
} from './store.ts'

/** The map of watched addresses that a scanner keeps in memory. */
export type WatchMap = {
  readonly addresses: ReadonlyMap<HexAddress, string>
  /** Addresses whose own calls of contracts are facts for us. */
  readonly callers: ReadonlySet<HexAddress>
  /** Adds every address committed so far that is not in the map yet. */
  refresh(on: Queryable): Promise<void>
}

/**
 * A row is found by the transaction that added it, never by a growing id: of two transactions the
 * later number may commit first, and "greater than the last one I saw" would lose the other for ever.
 */
export function createWatchMap(): WatchMap {
  const addresses = new Map<HexAddress, string>()
  const callers = new Set<HexAddress>()
  // There are few purposes and a million rows, each of which the driver gives a string of its own.
  const purposes = new Map<string, string>()
  const known = (purpose: string) => {
    if (!purposes.has(purpose)) purposes.set(purpose, purpose)
    return purposes.get(purpose)!
  }
  let since = '0'
  return {
    addresses,
    callers,
    async refresh(on) {
      // The snapshot is taken before the rows are read: what commits in between is read again later.
      const [snapshot] = await on.query(currentSnapshot)
      for (const { address, purpose } of await on.query(watchedSince, [since])) {
        addresses.set(address, known(purpose))
      }
      for (const { address } of await on.query(callersSince, [since])) callers.add(address)
      since = snapshot!.oldest
    },
  }
}

export async function watchAddresses(tx: Tx, addresses: HexAddress[], purpose: string) {
  await tx.query(insertWatched, [addresses, purpose])
}

/** A purpose of its own, because an address may be paid to for one reason and watched for another. */
export async function watchCallers(tx: Tx, addresses: HexAddress[]) {
  await tx.query(insertCallers, [addresses])
}
