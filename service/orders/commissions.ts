import { createApart, type Db } from '../db/index.ts'
import { type Clock, createLoop, type Log, type Loop, type Sun, sun } from '../kernel/index.ts'
import type { Ledger } from '../ledger/index.ts'
import type { OnFinal } from './announce.ts'
import {
  insertCommissions,
  lockUnpaid,
  markPaid,
  readReferralTerms,
  sumCommissions,
  writeReferralTerms,
} from './commissions.sql.ts'
import { COMMISSIONS_TO_PAY, REFERRAL_TERMS } from './due.sql.ts'

/** What clients get of the orders of those who signed up through them. */
export type Commissions = {
  /** Basis points of an order's price; 0: no commission. */
  terms(): Promise<bigint>
  setTerms(basisPoints: bigint): Promise<void>
  /** Of one client, since the beginning. */
  earned(account: string): Promise<{ orders: bigint; amount: Sun }>
}

const BATCH = 100

export function createCommissions(deps: { db: Db; clock: Clock; log: Log; ledger: Ledger }) {
  const { db, clock, log, ledger } = deps
  const apart = createApart(deps, { loop: 'orders.payCommissions', kind: 'commission' })
  /** Until the terms are read there may be a commission: the statement itself asks for them. */
  let mayBe = true

  /** Writes what is owed in the transaction that completes the orders; a failed one earns nobody anything. */
  const onFinal: OnFinal = async (tx, orders) => {
    const completed = orders.filter(({ status }) => status === 'COMPLETED').map(({ id }) => id)
    if (mayBe && completed.length > 0) await tx.query(insertCommissions, [completed, clock.now()])
  }

  const terms = async () => (await db.query(readReferralTerms))[0]!.basisPoints

  async function pay(): Promise<number> {
    mayBe = (await terms()) > 0n
    const paid = await apart.claim(BATCH, ({ most, skip, took }) =>
      db.transaction(async (tx) => {
        const due = await tx.query(lockUnpaid, [most, skip])
        if (due.length === 0) return 0
        const ids = due.map(({ order }) => order)
        took(ids)
        await tx.query(markPaid, [ids, clock.now()])
        await ledger.post(
          tx,
          due.map(({ order, account, amount }) => ({
            client: account,
            kind: 'adjustment' as const,
            reference: `referral:${order}`,
            amount: sun(amount),
            counter: 'cost:referrals' as const,
            // Not whose order: that is the other client's affair.
            description: 'Referral commission',
            trace: order,
          })),
        )
        return due.length
      }),
    )
    return paid.reduce((sum, one) => sum + one, 0)
  }

  const loop: Loop = createLoop({
    name: 'orders.payCommissions',
    everyMs: 1_000,
    due: COMMISSIONS_TO_PAY,
    follows: REFERRAL_TERMS,
    log,
    work: pay,
  })
  const commissions: Commissions = {
    terms,
    async setTerms(basisPoints) {
      await db.query(writeReferralTerms, [basisPoints])
      mayBe = true
      loop.wake()
    },
    async earned(account) {
      const [row] = await db.query(sumCommissions, [account])
      return { orders: row!.orders, amount: sun(row!.amount) }
    },
  }
  return { ...commissions, onFinal, loop }
}
