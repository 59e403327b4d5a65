import type { Db } from '../db/index.ts'
import { assert, createLoop, type Log, type Loop, type Runtime, type Sun } from '../kernel/index.ts'
import { PRICES } from './due.sql.ts'
import {
  listExperiments,
  readFollowed,
  readRules,
  readWholesale,
  type WholesaleRow,
} from './follow.sql.ts'
import { createFollowing, type Following } from './follow.ts'
import {
  type FollowedPrice,
  type FollowRule,
  followedPriceOf,
  holdsAt,
  isInExperiment,
} from './followRule.ts'
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
  /** SUN per Energy now, before any discount, for an account in no group. Larger orders may pay the schedule. */
  unitPrice(): bigint
  /** What the account pays for this much Energy now. */
  priceFor(account: string, amount: bigint): Sun
  /** The same by the schedule alone, which does not move within the hour. */
  listedFor(account: string, amount: bigint): Sun
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
  /** Rules of followed prices that hold now or soon, and the newest price of each. */
  followed(): { rule: FollowRule; price: FollowedPrice | undefined }[]
  following: Following
  /** The group of an account; empty: none. */
  groupOf(account: string): string
  /** What a usual order cost us from that time on, the oldest first. */
  wholesaleSince(at: Date): Promise<WholesaleRow[]>
  /** What a usual order costs us now. */
  wholesale(): bigint | undefined
  experiments(): Promise<FollowRule[]>
  loop: Loop
}

type Deps = {
  db: Db
  runtime: Pick<Runtime, 'clock' | 'ids'>
  log: Log
  /** SUN per Energy of a usual order, rounded up; undefined: nobody offers it. */
  wholesale(): bigint | undefined
  /** The group of an account, for rules of followed prices; empty: none. */
  groupOf(account: string): string
}

export function createPricing({ db, runtime, log, wholesale, groupOf }: Deps): Pricing {
  const { clock } = runtime
  let current: Terms | undefined
  let plans: readonly Plan[] = []
  let discounts = new Map<string, bigint>()
  let rules: FollowRule[] = []
  let prices = new Map<string, FollowedPrice[]>()
  let asked = 0
  let kept = 0

  // A read that was asked earlier may answer later; it must not bring back prices that were changed.
  async function refresh() {
    const turn = ++asked
    const now = clock.now()
    const [[row], rows, planRows] = await Promise.all([
      db.query(readTerms),
      db.query(readDiscounts),
      db.query(readPlans),
    ])
    assert(row, 'the terms of sale are gone')
    const { hasRules, ...termsRow } = row
    const ruleRows = hasRules ? await db.query(readRules, [now]) : []
    const ids = ruleRows.map(({ id }) => id)
    const priceRows = ids.length === 0 ? [] : await db.query(readFollowed, [ids, now])
    if (turn < kept) return
    kept = turn
    current = { ...termsRow, schedule: row.schedule.map(BigInt) }
    plans = planRows
    discounts = new Map(rows.map(({ account, basisPoints }) => [account, basisPoints]))
    rules = ruleRows
    prices = Map.groupBy(priceRows, ({ rule }) => rule)
  }

  function terms(): Terms {
    assert(current, 'the terms of sale have not been read yet')
    return current
  }

  const priceAt = (account: string, amount: bigint, unit: bigint) =>
    priceOf(amount, unit, discounts.get(account) ?? 0n)
  const listedUnit = () => unitPriceAt(terms(), clock.now())
  const listedFor = (account: string, amount: bigint) => priceAt(account, amount, listedUnit())

  /** The followed price of a rule now. An order above the rule's limit has none. */
  function priceBy(rule: FollowRule | undefined, now: Date, amount: bigint) {
    if (!rule || amount > rule.amountMax) return undefined
    return prices.get(rule.id)?.findLast(({ fromAt }) => fromAt <= now)
  }

  /** The rule of an account now; undefined: it pays the schedule. */
  function ruleOf(account: string, now: Date): FollowRule | undefined {
    const inForce = rules.filter((rule) => holdsAt(rule, now))
    if (inForce.length === 0) return undefined
    const group = groupOf(account)
    const isOurs = (rule: FollowRule) => rule.group === '' || rule.group === group
    const tried = inForce.find((rule) => rule.isExperiment && isOurs(rule))
    if (tried && isInExperiment(tried.id, account)) return tried
    const ordinary = inForce.filter((rule) => !rule.isExperiment)
    return ordinary.find((rule) => rule.group === group) ?? forAll(ordinary)
  }

  function priceFor(account: string, amount: bigint): Sun {
    const now = clock.now()
    const followed = priceBy(ruleOf(account, now), now, amount)
    if (!followed) return listedFor(account, amount)
    const { marginFloor } = terms()
    const bounds = { schedule: unitPriceAt(terms(), now), marginFloor }
    return followedPriceOf(amount, followed, bounds, discounts.get(account) ?? 0n)
  }

  function unitPrice(): bigint {
    const now = clock.now()
    const listed = unitPriceAt(terms(), now)
    const inForce = rules.filter((rule) => !rule.isExperiment && holdsAt(rule, now))
    const followed = priceBy(forAll(inForce), now, terms().minAmount)
    return followed && followed.unit < listed ? followed.unit : listed
  }

  return {
    terms,
    unitPrice,
    priceFor,
    listedFor,
    followed: () => rules.map((rule) => ({ rule, price: prices.get(rule.id)?.at(-1) })),
    groupOf,
    wholesale,
    wholesaleSince: (at) => db.query(readWholesale, [at]),
    experiments: () => db.query(listExperiments),
    following: createFollowing({ db, runtime, log, terms, refresh, wholesale }),
    costOver(account, amount) {
      const hours = terms().schedule.toSorted((a, b) => (a < b ? -1 : 1))
      const now = priceFor(account, amount)
      const least = priceAt(account, amount, hours[0]!)
      return {
        now,
        min: now < least ? now : least,
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

const forAll = (rules: readonly FollowRule[]) => rules.find(({ group }) => group === '')
