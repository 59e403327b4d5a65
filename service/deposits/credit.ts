import { toBase58 } from '@ergon/tron'
import type { Addresses } from '../addresses/index.ts'
import type { BlockFacts, OrphanedBlock, Transfer } from '../chain/index.ts'
import type { Tx } from '../db/index.ts'
import { type Doors, type Sun, sun } from '../kernel/index.ts'
import type { Ledger, Posting } from '../ledger/index.ts'
import type { Signing } from '../signing/index.ts'
import {
  confirmDeposits,
  type DepositRow,
  insertDeposits,
  orphanDeposits,
  orphanTokens,
  recordTokens,
  returnDeposits,
  unverifiedCredit,
} from './store.ts'

/** What the TRX on an address of ours is, by what the address was allotted for. */
const KINDS = new Map([
  ['deposit', 'deposit'],
  ['agent', 'agent_revenue'],
])

/** TRX that is credited in this transaction, and the time of the block that brought it. */
export type Credit = { account: string; amount: bigint; minedAt: Date }

/**
 * Runs in the block's transaction before the ledger is locked, so that it may lock rows of its own.
 * What it returns runs after the credits are posted, on ledger accounts that are locked already.
 */
export type OnCredit = (tx: Tx, credits: readonly Credit[]) => Promise<() => Promise<void>>

type Deps = {
  doors: Doors
  addresses: Addresses
  ledger: Ledger
  signing: Signing
  unverifiedLimit: Sun
  onCredit: readonly OnCredit[]
}

/**
 * Deposits as facts of a block: written, and credited, in the block's own transaction. Credit comes
 * early and finality late, so what an account may spend before finality has a limit.
 */
export function createCrediting(deps: Deps) {
  const { doors, addresses, ledger, signing, unverifiedLimit } = deps

  async function onBlock(tx: Tx, block: BlockFacts): Promise<void> {
    if (block.tokens.length > 0) await recordArrivals(tx, block)
    const arrived = block.transfers.filter(({ purpose }) => KINDS.has(purpose))
    if (arrived.length === 0) return
    const transfers = await ofOthers(arrived)
    if (transfers.length === 0) return
    const returned = await takeBack(tx, block.number, transfers)
    const fresh = await insert(tx, block.number, transfers)
    const released = returned.filter((deposit) => deposit.posted)
    const credited = await withinLimit(tx, fresh)
    const now = doors.clock.now()
    await tx.query(confirmDeposits, [[...released, ...credited].map((d) => d.id), now])
    const spend = await prepareSpending(tx, credited, block.time)
    // The ledger last: nothing is locked after its accounts, and all of them are locked in one go.
    await ledger.lock(
      tx,
      [...released, ...credited].map((d) => d.account),
    )
    await ledger.withhold(
      tx,
      released.map((d) => ({ client: d.account, amount: -d.amount })),
    )
    await ledger.post(tx, credited.map(depositPosting))
    for (const run of spend) await run()
  }

  async function prepareSpending(tx: Tx, credited: DepositRow[], minedAt: Date) {
    const deposited = credited.filter(({ kind }) => kind === 'deposit')
    if (deposited.length === 0) return []
    const credits = deposited.map(({ account, amount }) => ({ account, amount, minedAt }))
    const prepared: (() => Promise<void>)[] = []
    for (const participant of deps.onCredit) prepared.push(await participant(tx, credits))
    return prepared
  }

  /** What the treasury sends to a deposit address, for a fee say, is nobody's payment. */
  async function ofOthers(transfers: Transfer[]): Promise<Transfer[]> {
    const own = [...(await signing.addresses('hot')), ...(await signing.addresses('stake'))]
    return transfers.filter((transfer) => !own.includes(transfer.from))
  }

  /** Wallets of clients are watched too; what tokens they receive is none of our business. */
  async function recordArrivals(tx: Tx, block: BlockFacts): Promise<void> {
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
      doors.clock.now(),
    ])
  }

  function takeBack(tx: Tx, number: number, transfers: Transfer[]) {
    const txids = transfers.map((transfer) => transfer.txid)
    return tx.query(returnDeposits, [txids, transfers.map((t) => t.position), number])
  }

  async function insert(tx: Tx, number: number, transfers: Transfer[]): Promise<DepositRow[]> {
    const texts = transfers.map((transfer) => toBase58(transfer.to))
    const owners = await addresses.ownersOf(tx, texts)
    const ownerOf = new Map(owners.map((owner) => [owner.address, owner]))
    const known = transfers.filter((transfer) => ownerOf.has(toBase58(transfer.to)))
    return tx.query(insertDeposits, [
      known.map(() => doors.ids.next()),
      known.map((t) => ownerOf.get(toBase58(t.to))!.account),
      known.map((t) => t.txid),
      known.map((t) => t.position),
      known.map((t) => toBase58(t.to)),
      known.map((t) => t.amount),
      known.map((t) => t.expiresAt),
      number,
      doors.clock.now(),
      known.map((t) => KINDS.get(ownerOf.get(toBase58(t.to))!.purpose)),
    ])
  }

  /** What fits under the limit of unverified credit; the rest waits for its block to be solid. */
  async function withinLimit(tx: Tx, fresh: DepositRow[]): Promise<DepositRow[]> {
    const rows = await tx.query(unverifiedCredit, [fresh.map((deposit) => deposit.account)])
    const used = new Map(rows.map(({ account, amount }) => [account, amount]))
    return fresh.filter(({ account, amount }) => {
      const total = (used.get(account) ?? 0n) + amount
      if (total > unverifiedLimit) return false
      used.set(account, total)
      return true
    })
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
