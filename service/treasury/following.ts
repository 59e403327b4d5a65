import type { Chain } from '../chain/index.ts'
import { createApart, type Db, type Tx } from '../db/index.ts'
import { createOutgoing, type Fate } from '../deposits/index.ts'
import { type Log, type Runtime, sun } from '../kernel/index.ts'
import type { Ledger } from '../ledger/index.ts'
import type { Signing } from '../signing/index.ts'
import { endTransfer, nextTurn, openTransfers, type TransferRow } from './store.ts'

const BATCH = 20
/** Marketplaces credit within minutes of the solid block. */
export const ARRIVES_WITHIN_MS = 1_800_000

type Deps = {
  db: Db
  runtime: Runtime
  log: Log
  chain: () => Chain
  ledger: Ledger
  signing: Signing
}

/** Follows transfers to their end on the chain, and books them once, when they are solid. */
export function createFollowing(deps: Deps) {
  const { db, runtime, log, chain, ledger, signing } = deps
  const of = { loop: 'treasury.follow', kind: 'transfer' }
  const apart = createApart({ db, clock: runtime.clock, log }, of)

  async function end(tx: Tx, transfer: TransferRow, fate: Exclude<Fate, { state: 'waiting' }>) {
    const now = runtime.clock.now()
    const { id, kind, txid } = transfer
    const isTopUp = kind === 'top_up'
    const solid = isTopUp ? 'solid' : 'booked'
    const state = fate.state === 'solid' ? solid : fate.state
    const fee = fate.state === 'solid' ? fate.fee : null
    const due = fee !== null && isTopUp ? new Date(now.getTime() + ARRIVES_WITHIN_MS) : null
    const trouble =
      fate.state === 'refused' ? fate.reason : fate.state === 'dead' ? 'its bytes expired' : null
    const [ended] = await tx.query(endTransfer, [id, state, fee, trouble, now, due])
    if (!ended) return false
    await tx.query(nextTurn)
    if (trouble) log.warn('treasury_transfer_not_done', { txid, reason: trouble })
    if (fee !== null) await book(tx, ledger, { ...transfer, fee })
    return true
  }

  return async function follow(): Promise<number> {
    const open = await db.query(openTransfers, [BATCH, apart.waiting()])
    if (open.length === 0) return 0
    const outgoing = createOutgoing({ chain: chain(), signing })
    const ended = await apart.each(
      await outgoing.fatesOf(open),
      (one) => one.of.id,
      async (one) => {
        const fate = await one.fate()
        return fate.state !== 'waiting' && db.transaction((tx) => end(tx, one.of, fate))
      },
    )
    return ended.filter(Boolean).length
  }
}

type Solid = { kind: TransferRow['kind']; provider: string | null; to: string; txid: string }

/** A solid transfer: between assets of ours, its fee a cost, both once by txid. */
export async function book(
  tx: Tx,
  ledger: Ledger,
  { kind, provider, to, txid, amount, fee }: Solid & { amount: bigint; fee: bigint },
): Promise<void> {
  const hot = { reference: txid, to: 'asset:hot' } as const
  const isSurplus = kind === 'surplus'
  await ledger.transfer(tx, [
    {
      ...hot,
      kind: isSurplus ? 'to_cold' : 'top_up',
      from: isSurplus ? 'asset:cold' : 'asset:top_ups',
      amount: sun(amount),
      description: isSurplus ? `Surplus to ${to}` : `Top-up of ${provider}, on its way`,
    },
  ])
  if (fee === 0n) return
  await ledger.transfer(tx, [
    {
      ...hot,
      kind: 'network_fee',
      from: 'cost:network',
      amount: sun(fee),
      description: 'Network fee of a treasury transfer',
    },
  ])
}

/** The end of a top-up: what the marketplace has credited is prepaid there, the rest is lost to it. */
export async function bookCredit(
  tx: Tx,
  ledger: Ledger,
  { provider, txid, amount }: { provider: string; txid: string; amount: bigint },
  credited: bigint,
): Promise<void> {
  const of = { reference: txid, to: 'asset:top_ups' } as const
  const lost = amount - credited
  if (credited > 0n) {
    const from = `asset:provider_float:${provider}` as const
    const description = `Top-up of ${provider}`
    await ledger.transfer(tx, [
      { ...of, kind: 'top_up_arrived', from, amount: sun(credited), description },
    ])
  }
  if (lost > 0n) {
    const from = `cost:provider:${provider}` as const
    const description = `Top-up that ${provider} did not credit`
    await ledger.transfer(tx, [
      { ...of, kind: 'top_up_lost', from, amount: sun(lost), description },
    ])
  }
}
