import type { Db } from '../db/index.ts'
import { assert, type Clock, createLoop, type Log, type Loop, type Sun } from '../kernel/index.ts'
import { PRICES } from './due.sql.ts'
import type { Plan } from './plan.ts'
import { priceOf, type Terms, unitPriceAt } from './price.ts'
import {
  readDiscounts,
  readPlans,
  readTerms,
  withdrawPlans,
  writeDiscount,
  writePlans,
  writeTerms,
} from './store.ts'

export type CostOver = { now: Sun; min: Sun; max: Sun }

export type Pricing = {
  terms(): Terms
  /** SUN per Energy in this hour, before any discount. */
  unitPrice(): bigint
  /** What the account pays for this much Energy now. */
  priceFor(account: string, amount: bigint): Sun
  /** The price now, and in the cheapest and the most expensive hour of the schedule. */
  costOver(account: string, amount: bigint): CostOver
  changeTerms(change: Partial<Terms>): Promise<void>
  setDiscount(account: string, basisPoints: bigint): Promise<void>
  /** Basis points; 0 for most. */
  discountOf(account: string): bigint
  /** The account's price in the most expensive hour of another schedule. */
  dearestUnder(schedule: readonly bigint[], account: string, amount: bigint): Sun
  /** AutoEnergy plans on sale, in the operator's order. */
  plans(): readonly Plan[]
  /** Replaces all plans; plans that are left out are withdrawn. */
  changePlans(plans: readonly Plan[]): Promise<void>
  /** Reads terms and discounts into memory; the loop repeats it when they change. */
  refresh(): Promise<void>
  loop: Loop
}

export function createPricing({ db, clock, log }: { db: Db; clock: Clock; log: Log }): Pricing {
  let current: Terms | undefined
  let plans: readonly Plan[] = []
  let discounts = new Map<string, bigint>()
  let asked = 0
  let kept = 0

  // A read that was asked earlier may answer later; it must not bring back prices that were changed.
  async function refresh() {
    const turn = ++asked
    const [[row], rows, planRows] = await Promise.all([
      db.query(readTerms),
      db.query(readDiscounts),
      db.query(readPlans),
    ])
    assert(row, 'the terms of sale are gone')
    if (turn < kept) return
    kept = turn
    current = { ...row, schedule: row.schedule.map(BigInt) }
    plans = planRows
    discounts = new Map(rows.map(({ account, basisPoints }) => [account, basisPoints]))
  }

  function terms(): Terms {
    assert(current, 'the terms of sale have not been read yet')
    return current
  }

  const unitPrice = () => unitPriceAt(terms(), clock.now())
  const priceAt = (account: string, amount: bigint, unit: bigint) =>
    priceOf(amount, unit, discounts.get(account) ?? 0n)

  return {
    terms,
    unitPrice,
    priceFor: (account, amount) => priceAt(account, amount, unitPrice()),
    costOver(account, amount) {
      const hours = terms().schedule.toSorted((a, b) => (a < b ? -1 : 1))
      return {
        now: priceAt(account, amount, unitPrice()),
        min: priceAt(account, amount, hours[0]!),
        max: priceAt(account, amount, hours.at(-1)!),
      }
    },
    async changeTerms(change) {
      const { schedule, minAmount, maxAmount, marginFloor } = { ...terms(), ...change }
      await db.query(writeTerms, [schedule, minAmount, maxAmount, marginFloor])
      await refresh()
    },
    async setDiscount(account, basisPoints) {
      await db.query(writeDiscount, [account, basisPoints])
      await refresh()
    },
    discountOf: (account) => discounts.get(account) ?? 0n,
    dearestUnder(schedule, account, amount) {
      const dearest = schedule.reduce((most, price) => (price > most ? price : most), 0n)
      return priceAt(account, amount, dearest)
    },
    plans: () => plans,
    async changePlans(wanted) {
      const column = <T>(pick: (plan: Plan) => T) => wanted.map(pick)
      await db.transaction(async (tx) => {
        await tx.query(withdrawPlans)
        await tx.query(writePlans, [
          column((p) => p.name),
          column((p) => p.activationFee),
          column((p) => p.dailyFee),
          column((p) => p.unit65k),
          column((p) => p.unit131k),
          column((p) => p.termDays),
        ])
      })
      await refresh()
    },
    refresh,
    loop: createLoop({
      name: 'pricing.refresh',
      everyMs: 1_000,
      follows: PRICES,
      log,
      work: () => refresh().then(() => 0),
    }),
  }
}
