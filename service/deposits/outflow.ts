import { type HexAddress, toBase58 } from '@ergon/tron'
import type { Addresses } from '../addresses/index.ts'
import type { BlockFacts, Departure, OrphanedBlock } from '../chain/index.ts'
import type { Tx } from '../db/index.ts'
import { formatTrx, type Log } from '../kernel/index.ts'
import type { Signing } from '../signing/index.ts'
import { markHoldings } from './look.sql.ts'
import { knownTransfers } from './outflow.sql.ts'

/** Kinds that rooms ask for which move stakes. */
const MOVES = [
  'DelegateResourceContract',
  'UnDelegateResourceContract',
  'FreezeBalanceV2Contract',
  'UnfreezeBalanceV2Contract',
  'WithdrawExpireUnfreezeContract',
  'CancelAllUnfreezeV2Contract',
  'VoteWitnessContract',
  'WithdrawBalanceContract',
]

/** Returns those of the transactions for which a room has a row. */
export type KnownTo = (tx: Tx, txids: string[]) => Promise<string[]>

/** Returns those of the transactions that are transfers of the treasury's room. */
export type TreasuryTransfers = (tx: Tx, departures: readonly Departure[]) => Promise<string[]>

/**
 * Watches the hot wallet, deposit addresses and stakes. Each of their transactions has a row before it
 * is signed. A transaction without one means a stolen key or a forged request: the block's transaction
 * records a finding and turns signing off.
 */
export function createOutflowWatch(deps: {
  addresses: Addresses
  signing: Signing
  log: Log
  knownTo: readonly KnownTo[]
  treasuryTransfers: TreasuryTransfers
}) {
  const { addresses, signing, log, knownTo, treasuryTransfers } = deps
  const { outflows } = signing

  async function onBlock(tx: Tx, { number, time, departures }: BlockFacts): Promise<void> {
    if (departures.length === 0) return
    const unknown = await withoutRow(tx, await ofOurKeys(tx, departures))
    if (unknown.length === 0) return
    const news = new Set(await outflows.find(tx, { number, time }, unknown))
    // Also fees of transactions that failed: balances that our books do not follow.
    const ours = await allottedOf(tx, unknown)
    if (ours.size > 0) await tx.query(markHoldings, [[...ours].map(toBase58), number])
    for (const { txid, owner, amount, contract } of unknown) {
      if (!news.has(txid)) continue
      const reason = `${contract} of ${formatTrx(amount)} TRX without a row of ours`
      log.error('outflow_found', { txid, address: toBase58(owner), height: number, reason })
    }
  }

  /** Only our own addresses: wallets of clients are watched too. */
  async function ofOurKeys(tx: Tx, departures: Departure[]): Promise<Departure[]> {
    const treasury = new Map(
      (await outflows.treasury(tx)).map(({ address, permission }) => [address, permission]),
    )
    const others = departures.filter(({ owner }) => !treasury.has(owner))
    const allotted = await allottedOf(tx, others)
    const lent = departures.filter(({ owner }) => typeof treasury.get(owner) === 'number')
    const asked = await outflows.asked(
      tx,
      lent.map(({ txid }) => txid),
    )
    // The owner of a stake that is lent to us may move it without asking us, and does not sign under the
    // permission that our key has.
    return departures.filter(
      ({ txid, owner, permission }) =>
        treasury.get(owner) === null ||
        allotted.has(owner) ||
        asked.has(txid) ||
        (permission !== null && treasury.get(owner) === permission),
    )
  }

  async function allottedOf(tx: Tx, departures: Departure[]): Promise<Set<HexAddress>> {
    if (departures.length === 0) return new Set()
    const texts = new Map(departures.map(({ owner }) => [toBase58(owner), owner]))
    const owners = await addresses.ownersOf(tx, [...texts.keys()])
    return new Set(owners.map(({ address }) => texts.get(address)!))
  }

  async function withoutRow(tx: Tx, departures: Departure[]): Promise<Departure[]> {
    if (departures.length === 0) return []
    const signed = await outflows.signed(
      tx,
      departures.map(({ txid }) => txid),
    )
    const transfers = await ofTransfers(tx, departures)
    const moves = await ofMoves(tx, departures)
    const toTreasury = departures.filter(({ txid }) => signed.get(txid) === 'treasury')
    const treasury = new Set(toTreasury.length > 0 ? await treasuryTransfers(tx, toTreasury) : [])
    // A row without the signer's answer does not count: the key was used elsewhere.
    const isOurs = ({ txid }: Departure) =>
      signed.has(txid) && (transfers.has(txid) || moves.has(txid) || treasury.has(txid))
    return departures.filter((one) => !isOurs(one))
  }

  async function ofTransfers(tx: Tx, departures: Departure[]): Promise<Set<string>> {
    const hot = (await signing.addresses('hot')).map(toBase58)
    const known = await tx.query(knownTransfers, [
      departures.map(({ txid }) => txid),
      departures.map(({ owner }) => toBase58(owner)),
      departures.map(({ to }) => to && toBase58(to)),
      departures.map(({ amount }) => amount),
      hot,
    ])
    return new Set(known.map(({ txid }) => txid))
  }

  /** Rooms that move stakes match by txid only, so only kinds that move stakes are compared with them. */
  async function ofMoves(tx: Tx, departures: Departure[]): Promise<Set<string>> {
    const moves = departures.filter(({ contract }) => MOVES.includes(contract))
    const txids = moves.map(({ txid }) => txid)
    const known = await Promise.all(knownTo.map((isKnown) => isKnown(tx, txids)))
    return new Set(known.flat())
  }

  return { onBlock, onOrphan: (tx: Tx, { number }: OrphanedBlock) => outflows.orphan(tx, number) }
}
