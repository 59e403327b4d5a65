import { isRefusal, type Refusal, refuse } from '@ergon/contract'
import { type Db, type Tx, Undo, undoable } from '../db/index.ts'
import { type Accounts, operatorName } from '../identity/index.ts'
import { formatTrx, isUuid, type Runtime, type Sun, sun } from '../kernel/index.ts'
import type { Ledger } from '../ledger/index.ts'
import {
  type AdjustmentRow,
  bookedAlone,
  countRequested,
  decideAdjustment,
  insertAdjustment,
  listAdjustments,
  lockAdjuster,
  lockAdjustment,
} from './store.ts'

export type Adjustments = ReturnType<typeof createAdjustments>

const DAY_MS = 86_400_000
const LISTED = 100

/**
 * Corrections of balances. One operator may book up to the limit within 24 hours; beyond it another
 * operator approves. The limit is a setting, so the console cannot raise it.
 */
export function createAdjustments(deps: {
  db: Db
  runtime: Runtime
  accounts: Accounts
  ledger: Ledger
  limit: Sun
}) {
  const { db, runtime, accounts, ledger, limit } = deps

  /** Books it; ledger accounts are locked last. */
  async function book(tx: Tx, { id, account, amount, reason }: AdjustmentRow) {
    const { balance, reserved, withheld, overdrawn } = await ledger.lockBalance(tx, account)
    const free = overdrawn ? 0n : balance - reserved - withheld
    if (amount < 0n && free + amount < 0n) {
      const left = formatTrx(free > 0n ? free : 0n)
      return wrong(`Only ${left} TRX of this account can be taken.`)
    }
    const posting = {
      client: account,
      kind: 'adjustment' as const,
      reference: id,
      amount: sun(amount),
      counter: 'cost:goodwill' as const,
      description: `Adjustment: ${reason}`,
      trace: id,
    }
    await ledger.post(tx, [posting])
    return undefined
  }

  /** Runs in a transaction that a refusal takes back. */
  const unlessRefused = (work: (tx: Tx) => Promise<AdjustmentRow | Refusal>) =>
    undoable(db, async (tx) => {
      const result = await work(tx)
      if (isRefusal(result)) throw new Undo(result)
      return result
    })

  const decide = (id: string, by: string, verdict: 'booked' | 'refused') =>
    unlessRefused(async (tx) => {
      if (!isUuid(id)) return missing('adjustment')
      const [row] = await tx.query(lockAdjustment, [id])
      if (!row) return missing('adjustment')
      if (row.state !== 'requested') return wrong(`It is ${row.state} already.`)
      const who = operatorName(by)
      if (!who) return wrong('Say who decides it.')
      if (verdict === 'booked' && who === row.requestedBy) {
        return wrong('Somebody else than who asked for it approves an adjustment.')
      }
      const [after] = await tx.query(decideAdjustment, [id, verdict, who, runtime.clock.now()])
      const refusal = verdict === 'booked' ? await book(tx, row) : undefined
      return refusal ?? after!
    })

  return {
    limit,
    list: () => db.query(listAdjustments, [LISTED]),
    waiting: async () => (await db.query(countRequested))[0]!,

    async request(want: { account: string; amount: Sun; reason: string; by: string }) {
      const { account, amount } = want
      if (!(await accounts.profileOf(account))) return missing('account')
      return unlessRefused(async (tx) => {
        const [reason, who] = [want.reason.trim(), operatorName(want.by)]
        if (amount === 0n) return wrong('The amount is not zero.')
        if (reason.length < 3) return wrong('An adjustment needs a reason.')
        if (!who) return wrong('Say who asks for it.')
        const now = runtime.clock.now()
        await tx.query(lockAdjuster, [who])
        const since = new Date(now.getTime() - DAY_MS)
        const alone = (await tx.query(bookedAlone, [who, since]))[0]!.amount
        const size = amount < 0n ? -amount : amount
        const state = alone + size <= limit ? 'booked' : 'requested'
        const values = [runtime.ids.next(), account, amount, reason, state, who, now]
        const [row] = await tx.query(insertAdjustment, values)
        const refusal = state === 'booked' ? await book(tx, row!) : undefined
        return refusal ?? row!
      })
    },

    approve: (id: string, by: string) => decide(id, by, 'booked'),
    refuse: (id: string, by: string) => decide(id, by, 'refused'),
  }
}

function wrong(message: string): Refusal {
  return refuse('validation_error', { message })
}

function missing(what: 'account' | 'adjustment'): Refusal {
  return refuse('not_found', {
    message: `There is no ${what} with this id; look it up in the list of ${what}s.`,
  })
}
