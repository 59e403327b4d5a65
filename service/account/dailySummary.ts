import { type Claim, createApart, type Db, type Tx } from '../db/index.ts'
import type { Events } from '../events/index.ts'
import { createLoop, type Log, type Loop, type Runtime, WITH_BLOCKS } from '../kernel/index.ts'
import type { Ledger } from '../ledger/index.ts'
import type { Orders } from '../orders/index.ts'
import { beginSummaries, endSummaries, lockDueSummaries, setLastDay } from './store.ts'

type Deps = { db: Db; runtime: Runtime; log: Log; events: Events; ledger: Ledger; orders: Orders }

const DAY_MS = 86_400_000
/** Delay after midnight: transactions that began before it have committed by then. */
const GRACE_MS = 60_000
const BATCH = 50

/** Emits one event per account and UTC day; days of a downtime are made up, each once. */
export function createDailySummary(deps: Deps): Loop {
  const { db, runtime, log } = deps

  const of = { loop: 'account.dailySummary', kind: 'account' }
  const apart = createApart({ db, clock: runtime.clock, log }, of)

  async function work(): Promise<number> {
    return (await apart.claim(BATCH, sumUpSome)).reduce((sum, count) => sum + count, 0)
  }

  async function sumUpSome({ most, skip, took }: Claim): Promise<number> {
    const ended = new Date(runtime.clock.now().getTime() - GRACE_MS - DAY_MS)
    return db.transaction(async (tx) => {
      await tx.query(beginSummaries)
      await tx.query(endSummaries)
      const due = await tx.query(lockDueSummaries, [isoDay(ended), most, skip])
      took(due.map(({ account }) => account))
      for (const { account, day } of due) await sumUp(tx, account, day)
      return due.length
    })
  }

  async function sumUp(tx: Tx, account: string, day: string): Promise<void> {
    const from = new Date(`${day}T00:00:00.000Z`)
    const to = new Date(from.getTime() + DAY_MS)
    const { orders, energy } = await deps.orders.completed(tx, account, from, to)
    const { spent, balance } = await deps.ledger.period(tx, account, from, to)
    const subject = `${account} ${day}`
    const data = {
      date: day,
      completed_orders: Number(orders),
      energy_received: String(energy),
      spent_sun: spent,
      balance_sun: balance,
    }
    const type = 'account.daily_summary'
    await deps.events.emit(tx, [{ account, type, subject, trace: subject, data }])
    await tx.query(setLastDay, [account, day])
  }

  return createLoop({
    name: 'account.dailySummary',
    everyMs: 1_000,
    due: WITH_BLOCKS,
    log,
    work,
  })
}

function isoDay(at: Date): string {
  return at.toISOString().slice(0, 10)
}
