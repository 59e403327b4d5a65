import type { HexAddress } from '@ergon/tron'
import type { Queryable, Tx } from '../db/index.ts'
import { type AddressMap, createAddressMap } from './addressMap.ts'
import {
  callersSince,
  currentSnapshot,
  insertCallers,
  insertWatched,
  watchedAfter,
  watchedSince,
} from './store.ts'

const PAGE_ROWS = 20_000

/** The map of watched addresses that a scanner keeps in memory. */
export type WatchMap = {
  readonly addresses: Pick<AddressMap, 'get' | 'has'>
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
  const addresses = createAddressMap()
  const callers = new Set<HexAddress>()
  let since: string | undefined

  /** A million rows in one answer would be most of the memory that a scanner ever needs. */
  async function readAll(on: Queryable) {
    for (let after = ''; ; ) {
      const page = await on.query(watchedAfter, [after, PAGE_ROWS])
      for (const { address, purpose } of page) addresses.set(address, purpose)
      if (page.length < PAGE_ROWS) return
      after = page.at(-1)!.address
    }
  }

  return {
    addresses,
    callers,
    async refresh(on) {
      // The snapshot is taken before the rows are read: what commits in between is read again later.
      const [snapshot] = await on.query(currentSnapshot)
      if (since === undefined) await readAll(on)
      else {
        for (const { address, purpose } of await on.query(watchedSince, [since])) {
          addresses.set(address, purpose)
        }
      }
      for (const { address } of await on.query(callersSince, [since ?? '0'])) callers.add(address)
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
