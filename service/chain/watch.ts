import type { HexAddress } from '@ergon/tron'
import type { Queryable, Tx } from '../db/index.ts'
import { type AddressMap, createAddressMap } from './addressMap.ts'
import { addedSince, insertCallers, insertWatched, watchedAfter } from './watch.sql.ts'

const PAGE_ROWS = 20_000
/** Above every transaction id. */
const NOBODY_YET = String(2n ** 64n - 1n)

/** A scanner's cache of watched addresses. */
export type WatchMap = {
  readonly addresses: Pick<AddressMap, 'get' | 'has'>
  /** Addresses whose contract calls are facts. */
  readonly callers: ReadonlySet<HexAddress>
  /** Adds every address committed so far that is not in the map yet. */
  refresh(on: Queryable): Promise<void>
}

/**
 * Finds new rows by transaction id, never by a growing row id: of two transactions the later id may
 * commit first, and "greater than the last id" would skip the other for ever.
 */
export function createWatchMap(): WatchMap {
  const addresses = createAddressMap()
  const callers = new Set<HexAddress>()
  let since: string | undefined

  /** Reads in pages: a million rows at once would dominate the scanner's memory. */
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
      // Before the pages of the first time: rows committed in between are read again later.
      const [added] = await on.query(addedSince, [since ?? NOBODY_YET, since ?? '0'])
      if (since === undefined) await readAll(on)
      for (const { address, purpose } of added!.watched) addresses.set(address, purpose)
      for (const address of added!.callers) callers.add(address)
      since = added!.oldest
    },
  }
}

export async function watchAddresses(tx: Tx, addresses: HexAddress[], purpose: string) {
  await tx.query(insertWatched, [addresses, purpose])
}

/** A separate table, because an address may be watched for payments and for calls. */
export async function watchCallers(tx: Tx, addresses: HexAddress[]) {
  await tx.query(insertCallers, [addresses])
}
