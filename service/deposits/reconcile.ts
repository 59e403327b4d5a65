import type { HexAddress, NodeClient } from '@ergon/tron'
import type { Chain } from '../chain/index.ts'
import type { Db } from '../db/index.ts'
import { formatTrx, type Runtime } from '../kernel/index.ts'
import type { Ledger } from '../ledger/index.ts'
import type { Signing } from '../signing/index.ts'
import type { Looking } from './look.ts'
import {
  asOfOneMoment,
  creditNotVerified,
  knownDifferences,
  type OpenSweepRow,
  readReconciliation,
  sweepsUnderWay,
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
  /**
   * The readings may not be consistent: a block became solid during every try, or the scanner has not seen the
   * solid block, so a sweep that it holds counts twice.
   */
  unsteady: boolean
}

export type Reconciling = {
  reconcile(): Promise<Reconciliation>
  /** Asks the node for the next deposit addresses in turn. */
  look: Looking['look']
  /** A sentence when the money does not cover what is owed. */
  shortage(): Promise<string | undefined>
  /** The same for sweeps, which also wait for consistent readings. */
  hold(): Promise<Hold | undefined>
  /** The last result of this process. */
  last(): Reconciliation | undefined
  /** The newest of any process; undefined before the first. */
  recorded(): Promise<Recorded | undefined>
}

export type Hold = { reason: string; isShort: boolean }

export type Recorded = Reconciliation & { readAt: Date }

const TRIES = 3
const UNSTEADY = 'the scanner is behind the solid block, or blocks became solid during the reading'

/**
 * M22: solid balances of our addresses ≥ clients' balances + escrow − credit not yet verified. Prepaid
 * balances at providers do not count, because no client can be paid from them. It is the only check
 * that compares our books with the outside. The hot wallet is read from the node, deposit addresses are known
 * (`look.ts`), and what is owed is read from a checkpoint.
 */
export function createReconciling(deps: {
  db: Db
  runtime: Runtime
  node: NodeClient
  chain: Chain
  ledger: Ledger
  signing: Signing
  looking: Looking
  /** Prepaid at providers. */
  floats(): Promise<bigint>
}): Reconciling {
  const { db, runtime, node, chain, ledger, signing, looking } = deps
  let last: Reconciliation | undefined

  const balanceOf = async (address: HexAddress) =>
    (await node.getSolidAccount(address))?.balance ?? 0n

  /** Swept to the hot wallet by a solid block, and still in our books on its address. */
  async function sweptBy(solidNumber: number, open: readonly OpenSweepRow[]): Promise<bigint> {
    const states = await chain.broadcasts.states(open.map(({ txid }) => txid))
    const solid = new Set(
      states.flatMap(({ txid, blockNumber }) =>
        blockNumber !== null && blockNumber <= solidNumber ? txid : [],
      ),
    )
    return open.reduce((sum, { txid, amount }) => (solid.has(txid) ? sum + amount : sum), 0n)
  }

  /** As of one moment: a sweep that is booked in between would count twice. */
  const readBooks = () =>
    db.transaction(async (tx) => {
      await tx.query(asOfOneMoment)
      const { depositAddresses, ...owed } = await ledger.owed(tx)
      const [unverified] = await tx.query(creditNotVerified)
      const [known] = await tx.query(knownDifferences)
      const open = await tx.query(sweepsUnderWay)
      return { depositAddresses, owed, unverified, known, open }
    })

  async function read(): Promise<Reconciliation> {
    // Read the debts first and the money last, so that deposits in between are not missed.
    const progress = await chain.progress()
    const { depositAddresses, owed, unverified, known, open } = await readBooks()
    const before = await node.getSolidBlock()
    const wallets = await Promise.all((await signing.addresses('hot')).map(balanceOf))
    const hot = wallets.reduce((sum, balance) => sum + balance, 0n)
    const floats = await deps.floats()
    const swept = await sweptBy(before.number, open)
    const after = await node.getSolidBlock()
    const isBehind = !progress || progress.number < before.number
    const notVerified = unverified!.amount
    const booked = depositAddresses - notVerified
    const onChain = booked - swept + known!.amount
    return {
      depositAddresses: { count: Number(known!.held), booked, onChain },
      hot,
      floats,
      ...owed,
      notVerified,
      surplus: onChain + hot - (owed.clients + owed.escrow - notVerified),
      unsteady: isBehind || before.id !== after.id,
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
    look: looking.look,
    last: () => last,
    async recorded() {
      const [row] = await db.query(readReconciliation)
      return row && { ...revived(row.result), readAt: row.readAt }
    },
    shortage: async () => shortageOf(await reconcile()),
    async hold() {
      const result = await reconcile()
      const shortage = shortageOf(result)
      if (shortage) return { reason: shortage, isShort: true }
      return result.unsteady ? { reason: UNSTEADY, isShort: false } : undefined
    },
  }
}

function shortageOf({ surplus }: Reconciliation): string | undefined {
  return surplus < 0n ? `${formatTrx(-surplus)} TRX are missing on the chain` : undefined
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
