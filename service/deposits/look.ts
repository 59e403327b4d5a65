import { type NodeClient, toHex } from '@ergon/tron'
import type { Addresses } from '../addresses/index.ts'
import type { Chain } from '../chain/index.ts'
import type { Db } from '../db/index.ts'
import { formatTrx, groupsOf, type Log, type Runtime } from '../kernel/index.ts'
import {
  openHoldings,
  readBooked,
  readFirst,
  readPass,
  writePass,
  writeReadings,
} from './look.sql.ts'

export type Looking = {
  /**
   * Reads addresses whose balance our books do not follow, those that differ, and the next slice of all
   * addresses. Returns how many were read.
   */
  look(): Promise<number>
  /** Reads these addresses; returns their solid balances. */
  read(addresses: readonly string[]): Promise<Map<string, bigint>>
}

const ASKED_AT_ONCE = 8
/** With a slice each minute, 250,000 addresses take two days. */
const SLICE = 100
/** Of each kind that is read before the others. */
const FIRST = 50

/**
 * Balances of deposit addresses are followed by the books: verified deposits and booked sweeps. The node is
 * asked for a rolling sample only, so a reconciliation takes as long with 20,000 addresses as with ten.
 */
export function createLooking(deps: {
  db: Db
  runtime: Runtime
  log: Log
  node: NodeClient
  chain: Chain
  addresses: Addresses
}): Looking {
  const { db, runtime, log, node, chain, addresses } = deps

  async function balancesOf(list: readonly string[]): Promise<Map<string, bigint>> {
    const found = new Map<string, bigint>()
    for (const some of groupsOf(list, ASKED_AT_ONCE)) {
      const accounts = await Promise.all(some.map((one) => node.getSolidAccount(toHex(one))))
      some.forEach((address, place) => void found.set(address, accounts[place]?.balance ?? 0n))
    }
    return found
  }

  async function read(list: readonly string[]): Promise<Map<string, bigint>> {
    if (list.length === 0) return new Map()
    const progress = await chain.progress()
    const solid = await node.getSolidBlock()
    // The amounts before the balances: what changes in between is not written.
    const booked = await db.query(readBooked, [list])
    const balances = await balancesOf(list)
    // A node behind our books, or a scanner behind the node, would show differences that are none.
    if (!progress || solid.number < progress.solidNumber || progress.number < solid.number) {
      return balances
    }
    const unknown = booked.filter(({ address, amount }) => amount !== balances.get(address))
    await db.query(openHoldings, [unknown.map(({ address }) => address)])
    const written = await db.query(writeReadings, [
      booked.map(({ address }) => address),
      booked.map(({ amount }) => amount),
      booked.map(({ address }) => balances.get(address)!),
      runtime.clock.now(),
      solid.number,
    ])
    for (const { address, before, difference } of written) {
      if (difference === before) continue
      const reason = `${formatTrx(difference)} TRX more on the chain than in our books`
      log.warn('balance_differs', { address, reason })
    }
    return balances
  }

  return {
    read,
    async look() {
      const progress = await chain.progress()
      if (!progress) return 0
      const first = await db.query(readFirst, [progress.solidNumber, FIRST])
      const [at] = await db.query(readPass)
      const slice = await addresses.inTurn(at!.position, SLICE)
      const inTurn = slice.map(({ address }) => address)
      const list = [...new Set([...first.map(({ address }) => address), ...inTurn])]
      const balances = await read(list)
      const held = inTurn.filter((address) => balances.get(address)! > 0n).length
      const last = slice.length < SLICE ? null : slice.at(-1)!.position
      await db.query(writePass, [last, held])
      return list.length
    },
  }
}
