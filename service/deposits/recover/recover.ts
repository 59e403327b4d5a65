import { type HexAddress, toBase58, toHex } from '@ergon/tron'
import type { Addresses } from '../../addresses/index.ts'
import type { Chain } from '../../chain/index.ts'
import type { Db } from '../../db/index.ts'
import type { Delivery } from '../../delivery/index.ts'
import { formatTrx, type Runtime } from '../../kernel/index.ts'
import type { Ledger } from '../../ledger/index.ts'
import type { Signing } from '../../signing/index.ts'
import type { Looking } from '../look.ts'
import { createFeeReader, type Found } from './feeReader.ts'
import { createPayoutRecovery } from './payouts.ts'
import { createSweepRecovery } from './sweeps.ts'

/** A finding that only a person can settle, and why. */
export type Open = Found & { why: string }

export type Recovered = {
  /** What was booked in this run, by what it was booked as. */
  booked: Map<string, number>
  /** Left for a person. */
  open: Open[]
  /** In blocks that are not solid yet, or that were orphaned: run it again. */
  waiting: number
}

/** Books moves of stake. */
export type RecoverMoves = Delivery['recover']

/** Books what was done with our stakes themselves: by the room that asks for it. */
export type RecoverStakes = {
  isOurs(contract: string): boolean
  book(found: readonly Found[]): Promise<Map<string, string>>
}

/** Books transfers of the hot wallet to destinations of the treasury. */
export type RecoverTransfers = {
  destinations(): Promise<Set<HexAddress>>
  recover(
    found: readonly { txid: string; to: HexAddress; amount: bigint; fee: bigint; minedAt: Date }[],
  ): Promise<{ booked: Map<string, string>; undecided: Map<string, string> }>
}

export type Recovering = {
  /**
   * A refusal is a sentence for the operator. `isRestored`: also where nothing of our keys was sent since
   * the moment.
   */
  recover(isRestored?: boolean): Promise<Recovered | { refused: string }>
  /** Books a transfer that no payout in the books explains, as a person says. */
  attach(
    txid: string,
    to: { payout: string } | { account: string; id?: string },
    by: string,
  ): Promise<{ id: string } | { refused: string }>
}

const PAGE = 500
const MOVES = new Map<string, 'delegate' | 'reclaim'>([
  ['DelegateResourceContract', 'delegate'],
  ['UnDelegateResourceContract', 'reclaim'],
])
const FIRST = { block: -1n, txid: '' }

type Deps = {
  db: Db
  runtime: Runtime
  addresses: Addresses
  chain: Chain
  ledger: Ledger
  signing: Signing
  recoverMoves: RecoverMoves
  recoverStakes: RecoverStakes
  recoverTransfers: RecoverTransfers
  read: Looking['read']
}

/**
 * Compares what our keys have sent with the books, in the order of the chain, and books what can be
 * decided. Only solid blocks: a fork undoes nothing of it. Each page is one transaction that claims its
 * findings first, so a crash, a second run and a second process book nothing twice.
 */
export function createRecovering(deps: Deps): Recovering {
  const { db, addresses, chain, signing, recoverMoves, recoverStakes, recoverTransfers } = deps
  const fees = createFeeReader(chain.node)
  const sweeps = createSweepRecovery(deps)
  const payouts = createPayoutRecovery(deps)

  async function bookMoves(found: Found[], told: Map<string, string>): Promise<void> {
    if (found.length === 0) return
    const moves = found.map(({ txid, address, to, amount, contract, block, minedAt }) => {
      const kind = MOVES.get(contract)!
      return { txid, kind, owner: address, receiver: to!, stake: amount, block, at: minedAt }
    })
    await db.transaction(async (tx) => {
      const made = await recoverMoves(tx, moves)
      const booked = [...made].map(([txid, as]) => ({ txid, as }))
      const mine = await signing.recovery.book(tx, booked)
      // Another process has booked some of them meanwhile: this page is undone, the next run finds the rest.
      if (mine.size < booked.length) throw new Error('another recovery runs at the same time')
      for (const [txid, as] of made) told.set(txid, as)
    })
  }

  async function bookFailed(found: Found[], told: Map<string, string>): Promise<void> {
    const as = 'failed on the chain: nothing moved'
    const booked = found.map(({ txid }) => ({ txid, as }))
    await db.transaction((tx) => signing.recovery.book(tx, booked))
    for (const { txid } of found) told.set(txid, as)
  }

  async function bookTransfers(found: Found[], told: Map<string, string>) {
    if (found.length === 0) return new Map<string, string>()
    const paid = await fees.of(found)
    const { booked, undecided } = await recoverTransfers.recover(
      paid.map((one) => ({ ...one, to: one.to! })),
    )
    for (const [txid, as] of booked) told.set(txid, as)
    return undecided
  }

  async function bookPage(page: Found[], told: Map<string, string>): Promise<Open[]> {
    const [hot] = await signing.addresses('hot')
    const rows = await db.transaction((tx) =>
      addresses.ownersOf(
        tx,
        page.map(({ address }) => toBase58(address)),
      ),
    )
    const allotted = new Set(rows.map(({ address }) => toHex(address)))
    const treasury = await recoverTransfers.destinations()
    const kindOf = ({ address, to, contract }: Found) => {
      const isKnown = contract === 'TransferContract' || MOVES.has(contract)
      if (isKnown && to === null) return 'failed'
      if (MOVES.has(contract)) return 'move'
      if (recoverStakes.isOurs(contract)) return 'stake'
      if (contract !== 'TransferContract') return 'other'
      if (allotted.has(address) && to === hot) return 'sweep'
      if (address !== hot) return 'other'
      return treasury.has(to!) ? 'treasury' : 'payout'
    }
    const by = Map.groupBy(page, kindOf)
    await bookFailed(by.get('failed') ?? [], told)
    await bookMoves(by.get('move') ?? [], told)
    for (const [txid, as] of await recoverStakes.book(by.get('stake') ?? [])) told.set(txid, as)
    await sweeps.book(await fees.of(by.get('sweep') ?? []), told)
    const transfers = await bookTransfers(by.get('treasury') ?? [], told)
    const undecided = await payouts.book(await fees.of(by.get('payout') ?? []), told)
    return page
      .filter(({ txid }) => !told.has(txid))
      .map((one) => ({
        ...one,
        why: undecided.get(one.txid) ?? transfers.get(one.txid) ?? whyOpen(one),
      }))
  }

  return {
    async recover(isRestored = false) {
      await chain.lag.look()
      const behind = chain.lag.behind()
      if (behind && behind.reason !== 'recovery') {
        return { refused: `${behind.sentence} Run it again when the scanner has caught up.` }
      }
      const progress = await chain.progress()
      const told = new Map<string, string>()
      const open: Open[] = []
      let after = FIRST
      for (let rows = PAGE; rows === PAGE; ) {
        const page = await signing.recovery.toBook(progress!.solidNumber, after, PAGE)
        open.push(...(await bookPage(page, told)))
        rows = page.length
        after = page.at(-1) ?? after
      }
      if (told.size + open.length > 0 || isRestored) await addresses.skipLost()
      const booked = new Map<string, number>()
      for (const as of told.values()) booked.set(as, (booked.get(as) ?? 0) + 1)
      const left = await signing.outflows.list()
      const decided = left.filter(({ bookedAs }) => bookedAs !== null).length
      return { booked, open, waiting: left.length - decided - open.length }
    },

    async attach(txid, to, by) {
      const progress = await chain.progress()
      const found = (await signing.outflows.list()).find((one) => one.txid === txid)
      if (!found || found.bookedAs !== null)
        return { refused: 'There is no open finding with this txid.' }
      if (found.block === null || found.block > BigInt(progress?.solidNumber ?? 0)) {
        return { refused: 'Its block is not final yet; try again in a minute.' }
      }
      const [hot] = await signing.addresses('hot')
      if (found.contract !== 'TransferContract' || found.address !== hot || found.to === null) {
        return { refused: 'Only a transfer of the hot wallet is a payout.' }
      }
      const { block } = found
      const [paid] = await fees.of([{ ...found, block, minedAt: found.foundAt }])
      return payouts.attach(paid!, to, by)
    },
  }
}

function whyOpen({ contract, amount, to }: Found): string {
  if (MOVES.has(contract)) return 'no delegation in the books fits it'
  const where = to ? ` to ${toBase58(to)}` : ''
  return `${contract} of ${formatTrx(amount)} TRX${where}: the service never asks for it`
}
