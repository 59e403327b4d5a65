import { toBase58 } from '@ergon/tron'
import type { BlockFacts, OrphanedBlock, Transfer } from '../../chain/index.ts'
import type { Tx } from '../../db/index.ts'
import type { Runtime } from '../../kernel/index.ts'
import { PAYMENT_MIN } from '../payment.ts'
import {
  claimsAt,
  insertDust,
  insertPayments,
  orphanDust,
  orphanPayments,
  returnPayments,
} from './receive.sql.ts'

type Claim = { configId: string; account: string }
type Arrival = Transfer & { claim: Claim }

/**
 * Writes payments in the block's own transaction. It decides nothing and moves no money: deposits
 * credits the revenue of dedicated addresses.
 */
export function createReceiving({ runtime }: { runtime: Runtime }) {
  async function onBlock(tx: Tx, block: BlockFacts): Promise<void> {
    // All watched addresses except deposit addresses can receive payments.
    const transfers = block.transfers.filter(({ purpose }) => purpose !== 'deposit')
    if (transfers.length === 0) return
    await tx.query(returnPayments, [
      transfers.map((t) => t.txid),
      transfers.map((t) => t.position),
      block.number,
      block.time,
    ])
    const arrivals = await claimed(tx, transfers, block.time)
    const payments = arrivals.filter(({ amount }) => amount >= PAYMENT_MIN)
    const dust = arrivals.filter(({ amount }) => amount < PAYMENT_MIN)
    if (payments.length > 0) await record(tx, payments, block)
    if (dust.length > 0) await recordDust(tx, dust, block)
  }

  async function claimed(tx: Tx, transfers: Transfer[], at: Date): Promise<Arrival[]> {
    const addresses = [...new Set(transfers.map(({ to }) => toBase58(to)))]
    const rows = await tx.query(claimsAt, [addresses, at])
    const claims = new Map(rows.map((row) => [row.address, row]))
    return transfers.flatMap((transfer) => {
      const claim = claims.get(toBase58(transfer.to))
      return claim ? [{ ...transfer, claim }] : []
    })
  }

  async function record(tx: Tx, payments: Arrival[], { number, time }: BlockFacts) {
    await tx.query(insertPayments, [
      payments.map(() => runtime.ids.next()),
      payments.map((p) => p.claim.account),
      payments.map((p) => p.claim.configId),
      payments.map((p) => p.txid),
      payments.map((p) => p.position),
      payments.map((p) => toBase58(p.from)),
      payments.map((p) => p.amount),
      number,
      time,
      payments.map((p) => p.expiresAt),
      runtime.clock.now(),
    ])
  }

  async function recordDust(tx: Tx, dust: Arrival[], { number }: BlockFacts) {
    await tx.query(insertDust, [
      dust.map((d) => d.claim.configId),
      dust.map((d) => d.txid),
      dust.map((d) => d.position),
      dust.map((d) => toBase58(d.from)),
      dust.map((d) => d.amount),
      number,
      runtime.clock.now(),
    ])
  }

  /** Undecided payments wait for their transfer to return; sales stay. */
  async function onOrphan(tx: Tx, { number }: OrphanedBlock): Promise<void> {
    await tx.query(orphanDust, [number])
    await tx.query(orphanPayments, [number])
  }

  return { onBlock, onOrphan }
}
