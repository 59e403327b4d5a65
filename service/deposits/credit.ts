import { toBase58 } from '@ergon/tron'
import type { Addresses } from '../addresses/index.ts'
import type { BlockFacts, OrphanedBlock, Transfer } from '../chain/index.ts'
import type { Tx } from '../db/index.ts'
import { formatTrx, type Log, type Runtime, sun } from '../kernel/index.ts'
import type { Ledger, Posting } from '../ledger/index.ts'
import type { Signing } from '../signing/index.ts'
import {
  confirmDeposits,
  insertDeposits,
  orphanDeposits,
  orphanTokens,
  recordTokens,
  returnDeposits,
} from './credit.sql.ts'
import { markHoldings } from './look.sql.ts'
import { type DepositRow, serviceCredit, unverifiedCredit } from './store.ts'
import { admit, type CreditLimits } from './unverified.ts'

/** What the TRX on an address of ours is, by what the address was allotted for. */
const KINDS = new Map([
  ['deposit', 'deposit'],
  ['agent', 'agent_revenue'],
])

/** A deposit as others learn of it: credited just now, waiting for its block, or gone for good. */
export type DepositNews = {
  account: string
  amount: bigint
  reference: string
  state: 'credited' | 'waiting' | 'gone'
}

/**
 * Runs in the transaction that changes the deposits, before the ledger is locked, so that it may
 * lock rows of its own. What it returns runs after the credits are posted, on ledger accounts that
 * are locked already. `minedAt` is the time of a new block, null for deposits of earlier ones.
 */
export type OnDeposits = (
  tx: Tx,
  news: readonly DepositNews[],
  minedAt: Date | null,
) => Promise<() => Promise<void>>

type Deps = {
  runtime: Runtime
  log: Log
  addresses: Addresses
  ledger: Ledger
  signing: Signing
  limits: CreditLimits
  ownLimitOf?(account: string): bigint | undefined
  onDeposits: readonly OnDeposits[]
}

/**
 * Writes and credits deposits in the block's own transaction. The block is not final yet, so
 * unverified credit is limited.
 */
export function createCrediting(deps: Deps) {
  const { runtime, log, addresses, ledger, signing, limits } = deps

  async function onBlock(tx: Tx, block: BlockFacts): Promise<void> {
    if (block.tokens.length > 0) await recordTokenArrivals(tx, block)
    const arrived = block.transfers.filter(({ purpose }) => KINDS.has(purpose))
    if (arrived.length === 0) return
    const transfers = await ofOthers(tx, block, arrived)
    if (transfers.length === 0) return
    const minedAgain = await attachToNewBlock(tx, block.number, transfers)
    const fresh = await insert(tx, block.number, transfers)
    // Credited before their block was orphaned; the others are credited when the block is final.
    const released = minedAgain.filter((deposit) => deposit.posted)
    const { credited, waiting } = await withinLimits(tx, fresh)
    const now = runtime.clock.now()
    await tx.query(confirmDeposits, [[...released, ...credited].map((d) => d.id), now])
    const news = [...newsOf(credited, 'credited'), ...newsOf(waiting, 'waiting')]
    const runAfterPosting = await notifyParticipants(tx, deps.onDeposits, {
      news,
      minedAt: block.time,
    })
    // The ledger last: all of its accounts are locked at once, and nothing is locked after them.
    await ledger.lock(
      tx,
      [...released, ...credited].map((d) => d.account),
    )
    await ledger.withhold(
      tx,
      released.map((d) => ({ client: d.account, amount: -d.amount })),
    )
    await ledger.post(tx, credited.map(depositPosting))
    await runAfterPosting()
  }

  /** Drops transfers of the treasury itself (for a fee): they are no deposits, and change a balance all the same. */
  async function ofOthers(tx: Tx, { number }: BlockFacts, all: Transfer[]): Promise<Transfer[]> {
    const own = [...(await signing.addresses('hot')), ...(await signing.addresses('stake'))]
    const ours = all.filter((transfer) => own.includes(transfer.from))
    if (ours.length > 0) await tx.query(markHoldings, [ours.map(({ to }) => toBase58(to)), number])
    return all.filter((transfer) => !ours.includes(transfer))
  }

  /** Only our addresses: wallets of clients are watched too, and their tokens are not recorded. */
  async function recordTokenArrivals(tx: Tx, block: BlockFacts): Promise<void> {
    const { number } = block
    const owners = await addresses.ownersOf(
      tx,
      block.tokens.map(({ to }) => toBase58(to)),
    )
    const ours = new Set(owners.map(({ address }) => address))
    const tokens = block.tokens.filter(({ to }) => ours.has(toBase58(to)))
    if (tokens.length === 0) return
    await tx.query(recordTokens, [
      tokens.map((t) => t.txid),
      tokens.map((t) => t.position),
      tokens.map((t) => toBase58(t.token)),
      tokens.map((t) => toBase58(t.to)),
      tokens.map((t) => t.amount),
      number,
      runtime.clock.now(),
    ])
  }

  function attachToNewBlock(tx: Tx, number: number, transfers: Transfer[]) {
    const txids = transfers.map((transfer) => transfer.txid)
    return tx.query(returnDeposits, [txids, transfers.map((t) => t.position), number])
  }

  async function insert(tx: Tx, number: number, transfers: Transfer[]): Promise<DepositRow[]> {
    const texts = transfers.map((transfer) => toBase58(transfer.to))
    const owners = await addresses.ownersOf(tx, texts)
    const ownerOf = new Map(owners.map((owner) => [owner.address, owner]))
    const known = transfers.filter((transfer) => ownerOf.has(toBase58(transfer.to)))
    const inserted = await tx.query(insertDeposits, [
      known.map(() => runtime.ids.next()),
      known.map((t) => ownerOf.get(toBase58(t.to))!.account),
      known.map((t) => t.txid),
      known.map((t) => t.position),
      known.map((t) => toBase58(t.to)),
      known.map((t) => t.amount),
      known.map((t) => t.expiresAt),
      number,
      runtime.clock.now(),
      known.map((t) => KINDS.get(ownerOf.get(toBase58(t.to))!.purpose)),
    ])
    // Credit in the order of the chain.
    const places = new Map(
      known.map((t, place) => [referenceOf(t.txid, BigInt(t.position)), place]),
    )
    const placeOf = ({ txid, position }: DepositRow) => places.get(referenceOf(txid, position))!
    return inserted.toSorted((a, b) => placeOf(a) - placeOf(b))
  }

  /**
   * Deposits within the limits of unverified credit; the others wait for a final block. The
   * scanner holds the lock on the cursor, so no other block uses the same limit meanwhile.
   */
  async function withinLimits(tx: Tx, fresh: DepositRow[]) {
    if (fresh.length === 0) return { credited: [], waiting: [] }
    const rows = await tx.query(unverifiedCredit, [fresh.map((deposit) => deposit.account)])
    const [lent] = await tx.query(serviceCredit, [limits.uncounted])
    const accounts = new Map(rows.map(({ account, amount }) => [account, amount]))
    const { service } = lent!
    const own = ownLimitsOf(fresh)
    const { credited, waiting, isServiceFull } = admit(
      fresh,
      { accounts, service },
      { ...limits, own },
    )
    if (isServiceFull) {
      const reason = `${formatTrx(service)} of ${formatTrx(limits.service)} TRX are lent before finality`
      log.warn('unverified_credit_full', { reason, count: waiting.length })
    }
    return { credited, waiting }
  }

  function ownLimitsOf(fresh: readonly DepositRow[]): Map<string, bigint> {
    const own = fresh.map(({ account }) => [account, deps.ownLimitOf?.(account)] as const)
    return new Map(
      own.flatMap(([account, limit]) => (limit === undefined ? [] : [[account, limit]])),
    )
  }

  /** The amount stays on the balance but cannot be spent until the transfer is in a block again. */
  async function onOrphan(tx: Tx, { number }: OrphanedBlock): Promise<void> {
    await tx.query(orphanTokens, [number])
    const orphaned = await tx.query(orphanDeposits, [number])
    const withheld = orphaned.filter((deposit) => deposit.posted)
    await ledger.withhold(
      tx,
      withheld.map((d) => ({ client: d.account, amount: d.amount })),
    )
  }

  return { onBlock, onOrphan }
}

/** Without agents' revenue, which pays no orders. */
export function newsOf(deposits: readonly DepositRow[], state: DepositNews['state']) {
  return deposits
    .filter(({ kind }) => kind === 'deposit')
    .map(({ account, amount, txid, position }): DepositNews => {
      return { account, amount, reference: referenceOf(txid, position), state }
    })
}

/** Returns functions to run once the credits are posted. */
export async function notifyParticipants(
  tx: Tx,
  participants: readonly OnDeposits[],
  { news, minedAt }: { news: readonly DepositNews[]; minedAt: Date | null },
): Promise<() => Promise<void>> {
  if (news.length === 0) return async () => {}
  const prepared: (() => Promise<void>)[] = []
  for (const participant of participants) prepared.push(await participant(tx, news, minedAt))
  return async () => {
    for (const run of prepared) await run()
  }
}

export function depositPosting({ kind, account, amount, txid, position }: DepositRow): Posting {
  return {
    client: account,
    kind,
    reference: referenceOf(txid, position),
    amount: sun(amount),
    counter: 'asset:deposit_addresses',
    description: kind === 'deposit' ? 'TRX deposit' : 'Payment of a customer',
    trace: txid,
  }
}

/** Clients know a deposit by its transaction; a contract call may hold several. */
export function referenceOf(txid: string, position: bigint): string {
  return position === 0n ? txid : `${txid}:${position}`
}
