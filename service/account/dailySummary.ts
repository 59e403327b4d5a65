import { type Claim, createApart, type Db, type Tx } from '../db/index.ts'
import type { Events } from '../events/index.ts'
import { createLoop, type Log, type Loop, type Runtime } from '../kernel/index.ts'
import type { Ledger } from '../ledger/index.ts'
import type { Orders } from '../orders/index.ts'
import { ENDED_DAY } from './due.sql.ts'
import { beginSummaries, endSummaries, lockDueSummaries, setLastDay } from './store.ts'

type Deps = { db: Db; runtime: Runtime; log: Log; events: Events; ledger: Ledger; orders: Orders }

const DAY_MS = 86_400_000
/** Delay after midnight, also in due.sql.ts: transactions that began before it have committed by then. */
const GRACE_MS = 60_000
const BATCH = 50
/** Overlap of two looks at the choices: longer than a transaction, and than clocks differ. */
const OVERLAP_MS = 3_600_000

/** Emits one event per account and UTC day; days of a downtime are made up, each once. */
export function createDailySummary(deps: Deps): Loop {
  const { db, runtime, log } = deps

  const of = { loop: 'account.dailySummary', kind: 'account' }
  const apart = createApart({ db, clock: runtime.clock, log }, of)

  /** Choices changed before this are known; all are read after a start. */
  let readUpTo = new Date(0)
  async function beginSome() {
    const now = runtime.clock.now()
    await db.query(beginSummaries, [readUpTo])
    readUpTo = new Date(now.getTime() - OVERLAP_MS)
  }

  async function work(): Promise<number> {
    await beginSome()
    return (await apart.claim(BATCH, sumUpSome)).reduce((sum, count) => sum + count, 0)
  }

  async function sumUpSome({ most, skip, took }: Claim): Promise<number> {
    const ended = new Date(runtime.clock.now().getTime() - GRACE_MS - DAY_MS)
    return db.transaction(async (tx) => {
      const due = await tx.query(lockDueSummaries, [isoDay(ended), most, skip])
      took(due.map(({ account }) => account))
      const unwanted = due.filter(({ isWanted }) => !isWanted).map(({ account }) => account)
      if (unwanted.length > 0) await tx.query(endSummaries, [unwanted])
      for (const { account, day, isWanted } of due) if (isWanted) await sumUp(tx, account, day)
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
    follows: ENDED_DAY,
    log,
    work,
  })
}

function isoDay(at: Date): string {
  return at.toISOString().slice(0, 10)
}
