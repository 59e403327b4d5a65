import { type HexAddress, type NodeClient, toHex } from '@ergon/tron'
import type { Db } from '../db/index.ts'
import { formatTrx, groupsOf, type Runtime } from '../kernel/index.ts'
import type { Ledger } from '../ledger/index.ts'
import type { Signing } from '../signing/index.ts'
import {
  creditNotVerified,
  heldAddresses,
  readReconciliation,
  writeReconciliation,
} from './reconcile.sql.ts'

/** Our money on the chain compared with what we owe by our books. Amounts in SUN. */
export type Reconciliation = {
  depositAddresses: { count: number; booked: bigint; onChain: bigint }
  hot: bigint
  /** Prepaid at providers; does not count as cover. */
  floats: bigint
  clients: bigint
  escrow: bigint
  notVerified: bigint
  /** Money on the chain less what is owed; negative is a shortage. */
  surplus: bigint
  /** A block became solid during every try, so the readings may not be consistent. */
  unsteady: boolean
}

export type Reconciling = {
  reconcile(): Promise<Reconciliation>
  /** A sentence when the money does not cover what is owed. */
  shortage(): Promise<string | undefined>
  /** The last result of this process. */
  last(): Reconciliation | undefined
  /** The newest of any process; undefined before the first. */
  recorded(): Promise<Recorded | undefined>
}

export type Recorded = Reconciliation & { readAt: Date }

const ASKED_AT_ONCE = 8
const TRIES = 3

/**
 * M22: solid balances of our addresses ≥ clients' balances + escrow − credit not yet verified. Prepaid
 * balances at providers do not count, because no client can be paid from them. It is the only check
 * that compares our books with the outside.
 */
export function createReconciling(deps: {
  db: Db
  runtime: Runtime
  node: NodeClient
  ledger: Ledger
  signing: Signing
  /** Prepaid at providers. */
  floats(): Promise<bigint>
}): Reconciling {
  const { db, runtime, node, ledger, signing } = deps
  let last: Reconciliation | undefined

  const balanceOf = async (address: HexAddress) =>
    (await node.getSolidAccount(address))?.balance ?? 0n

  async function sumOf(addresses: HexAddress[]): Promise<bigint> {
    let sum = 0n
    for (const some of groupsOf(addresses, ASKED_AT_ONCE)) {
      const balances = await Promise.all(some.map(balanceOf))
      sum += balances.reduce((total, balance) => total + balance, 0n)
    }
    return sum
  }

  async function read(): Promise<Reconciliation> {
    // Read the debts first and the money last, so that deposits in between are not missed.
    const [owed, [unverified]] = await Promise.all([ledger.owed(), db.query(creditNotVerified)])
    const before = await node.getSolidBlock()
    const held = await db.query(heldAddresses)
    const onChain = await sumOf(held.map(({ address }) => toHex(address)))
    // The hot wallet after the deposit addresses, so that a sweep in between is counted.
    const hot = await sumOf(await signing.addresses('hot'))
    const floats = await deps.floats()
    const after = await node.getSolidBlock()
    const booked = held.reduce((sum, { amount }) => sum + amount, 0n)
    const notVerified = unverified!.amount
    const there = onChain + hot
    return {
      depositAddresses: { count: held.length, booked, onChain },
      hot,
      floats,
      ...owed,
      notVerified,
      surplus: there - (owed.clients + owed.escrow - notVerified),
      unsteady: before.id !== after.id,
    }
  }

  async function reconcile(): Promise<Reconciliation> {
    let result = await read()
    for (let tries = 1; result.unsteady && tries < TRIES; tries += 1) result = await read()
    last = result
    await db.query(writeReconciliation, [written(result), result.surplus, runtime.clock.now()])
    return result
  }

  return {
    reconcile,
    last: () => last,
    async recorded() {
      const [row] = await db.query(readReconciliation)
      return row && { ...revived(row.result), readAt: row.readAt }
    },
    async shortage() {
      const { surplus } = await reconcile()
      return surplus < 0n ? `${formatTrx(-surplus)} TRX are missing on the chain` : undefined
    },
  }
}

/** Amounts as text: JSON has no integers of this size. */
function written(result: Reconciliation): string {
  return JSON.stringify(result, (_key, value) => (typeof value === 'bigint' ? `${value}` : value))
}

type Written = { depositAddresses: { count: number } } & Record<string, unknown>

function revived(result: unknown): Reconciliation {
  const { depositAddresses, unsteady, ...sums } = result as Written
  const amounts = (of: object) =>
    Object.fromEntries(Object.entries(of).map(([name, text]) => [name, BigInt(text as string)]))
  const { count, ...addresses } = depositAddresses
  return {
    ...amounts(sums),
    depositAddresses: { count, ...amounts(addresses) },
    unsteady,
  } as Reconciliation
}
