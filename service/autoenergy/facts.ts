import { toBase58 } from '@ergon/tron'
import type { BlockFacts, Chain, ContractCall, OrphanedBlock } from '../chain/index.ts'
import { createApart, type Db, type Tx } from '../db/index.ts'
import type { Log, Runtime } from '../kernel/index.ts'
import type { Ledger } from '../ledger/index.ts'
import { judgeBudgets, periodsOf } from './budget.ts'
import {
  deadCalls,
  findUnitCharge,
  finishCalls,
  insertCalls,
  lastCallAt,
  lockDeadCall,
  orphanCalls,
  returnCalls,
  reverseCall,
  solidCalls,
} from './facts.sql.ts'
import {
  insertCharges,
  lockSubscription,
  savedValues,
  saveSubscription,
  sumSpent,
} from './store.ts'
import type { Subscription } from './subscription.ts'

const BATCH = 500

/** Writes covered calls as facts of a block, and handles orphaned blocks. */
export function createFacts(deps: {
  db: Db
  runtime: Runtime
  log: Log
  ledger: Ledger
  chain: () => Chain
}) {
  const { db, runtime, log, ledger } = deps
  const apartOf = (kind: string) =>
    createApart({ db, clock: runtime.clock, log }, { loop: 'autoenergy.finish', kind })
  const apart = apartOf('call')
  const solidApart = apartOf('solid call')

  async function onBlock(tx: Tx, { number, time, calls }: BlockFacts): Promise<void> {
    const covered = calls.filter(({ energyUsage }) => energyUsage > 0n)
    if (covered.length === 0) return
    const column = <T>(pick: (call: ContractCall) => T) => covered.map(pick)
    const txids = column((c) => c.txid)
    const positions = column((c) => c.position)
    const results = column((c) => c.result)
    const used = [column((c) => c.energy), column((c) => c.energyUsage), column((c) => c.burned)]
    await tx.query(returnCalls, [txids, number, time, positions, results, ...used])
    await tx.query(insertCalls, [
      txids,
      column((c) => toBase58(c.caller)),
      positions,
      results,
      ...used,
      column((c) => c.feeLimit),
      column((c) => c.expiresAt),
      number,
      time,
    ])
  }

  async function onOrphan(tx: Tx, { number }: OrphanedBlock): Promise<void> {
    await tx.query(orphanCalls, [number])
  }

  /** Refunds and uncounts a call that can no longer be mined. */
  async function reverse(txid: string, subscription: string): Promise<void> {
    await db.transaction(async (tx) => {
      const [sub] = await tx.query(lockSubscription, [subscription])
      const [call] = await tx.query(lockDeadCall, [txid])
      if (!sub || !call) return
      await tx.query(reverseCall, [txid])
      if (call.state !== 'billed') return
      const [charge] = await tx.query(findUnitCharge, [txid])
      if (!charge) return
      const { kind, reference, amount, activation } = charge
      await tx.query(insertCharges, [
        [runtime.ids.next()],
        sub.id,
        sub.account,
        activation,
        runtime.clock.now(),
        [kind],
        [reference],
        [-amount],
        [charge.counted],
        [runtime.clock.now()],
      ])
      if (charge.counted && activation === sub.activation) await uncount(tx, sub)
      const description = 'AutoEnergy: the covered transfer did not stay on the chain'
      await ledger.refund(tx, { kind, reference, description, trace: txid })
    })
  }

  /** A close by quota stays: the address was released then. */
  async function uncount(tx: Tx, sub: Subscription): Promise<void> {
    const [last] = await tx.query(lastCallAt, [sub.id, sub.activation])
    const pausedUntil = await pauseLeft(tx, sub)
    const after = { ...sub, used: sub.used - 1n, lastActivityAt: last?.at ?? null, pausedUntil }
    await tx.query(saveSubscription, savedValues(after))
  }

  /** A pause ends as soon as no budget is used up any more. It lies within the periods of this moment. */
  async function pauseLeft(tx: Tx, sub: Subscription): Promise<Date | null> {
    const at = runtime.clock.now()
    if (sub.pausedUntil === null || sub.pausedUntil <= at) return sub.pausedUntil
    const { daily, monthly } = periodsOf(at)
    const [spent] = await tx.query(sumSpent, [sub.id, sub.activation, daily.from, monthly.from])
    return judgeBudgets(sub, { at, price: 0n, spent: spent! }).until ?? at
  }

  return {
    onBlock,
    onOrphan,
    /** Finishes calls that are final or can no longer be mined, by the solid block. Returns their number. */
    async finish(): Promise<number> {
      const progress = await deps.chain().progress()
      if (!progress) return 0
      const { solidNumber, solidTime } = progress
      const dead = await db.query(deadCalls, [solidTime, BATCH, apart.waiting()])
      const reversed = await apart.each(
        dead,
        ({ txid }) => txid,
        ({ txid, subscription }) => reverse(txid, subscription),
      )
      const skip = solidApart.waiting()
      const finished = await solidApart.bulk(
        () => db.query(finishCalls, [solidNumber, BATCH, skip, null]),
        () => db.query(solidCalls, [solidNumber, BATCH, skip]),
        (txid) => db.query(finishCalls, [solidNumber, 1, [], txid]),
      )
      return reversed.length + finished.flat().length
    },
  }
}
