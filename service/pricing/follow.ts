import { type Refusal, refuse } from '@ergon/contract'
import { createApart, type Db, type Tx } from '../db/index.ts'
import { type Clock, createLoop, type Log, type Loop, type Runtime } from '../kernel/index.ts'
import {
  addFollowed,
  addRule,
  addWholesale,
  endRules,
  lockRules,
  type PaidRow,
  paidWithin,
  readRules,
} from './follow.sql.ts'
import { type FollowRule, type FollowTerms, holdsAt, nextFollowed } from './followRule.ts'
import { type Terms, unitPriceAt } from './price.ts'

/** From the write of a price to its beginning: every process reads changes within a second. */
const AHEAD_MS = 5_000
const EVERY_MS = 20_000
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const EXPERIMENT_DAYS_MAX = 60

export type Following = {
  /** Begins a rule for a group, instead of the one it has. */
  follow(terms: FollowTerms): Promise<FollowRule>
  /** Begins an experiment: half of the group's accounts pay by this rule for so many days. */
  experiment(terms: FollowTerms, days: number): Promise<FollowRule | Refusal>
  /** Back to the schedule, or ends the experiment. False when there was nothing to end. */
  end(group: string, isExperiment: boolean): Promise<boolean>
  loop: Loop
}

type Deps = {
  db: Db
  runtime: Pick<Runtime, 'ids'> & { clock: Clock }
  log: Log
  terms(): Terms
  refresh(): Promise<void>
  /** SUN per Energy of a usual order, rounded up; undefined: nobody offers it. */
  wholesale(): bigint | undefined
}

/** Rules of followed prices, and the loop that moves the prices. */
export function createFollowing(deps: Deps): Following {
  const { db, runtime, log, terms, refresh, wholesale } = deps
  const { clock } = runtime
  const apart = createApart({ db, clock, log }, { loop: 'pricing.follow', kind: 'rule' })
  let recorded: bigint | undefined

  async function begin(tx: Tx, wanted: FollowTerms, isExperiment: boolean, forMs?: number) {
    const beganAt = new Date(clock.now().getTime() + AHEAD_MS)
    const endsAt = forMs === undefined ? null : new Date(beganAt.getTime() + forMs)
    const rule = { ...wanted, id: runtime.ids.next(), isExperiment, beganAt, endsAt }
    const { group, margin, changeMax, amountMax } = wanted
    const limits = [group, margin, changeMax, amountMax]
    await tx.query(addRule, [rule.id, ...limits, isExperiment, beganAt, endsAt])
    await move(tx, rule, beganAt)
    return rule
  }

  /** Prices of the hour before `at`, the newest first: by rules of this kind and, before those began, by what held until then. */
  async function lastHour(tx: Tx, { group, isExperiment }: FollowRule, at: Date) {
    const since = new Date(at.getTime() - HOUR_MS)
    const kinds = [...(isExperiment ? [{ group, isExperiment }] : []), { group }, { group: '' }]
    const found: PaidRow[] = []
    let until = at
    for (const { group, isExperiment = false } of kinds) {
      found.push(...(await tx.query(paidWithin, [group, isExperiment, since, until])))
      until = found.at(-1)?.fromAt ?? at
      if (until <= since) return { found, units: found.map(({ unit }) => unit) }
    }
    return { found, units: [...found.map(({ unit }) => unit), unitPriceAt(terms(), until)] }
  }

  /** Writes the rule's next price where it differs. */
  async function move(tx: Tx, rule: FollowRule, at: Date): Promise<void> {
    const cost = wholesale()
    if (!cost) return
    const { found, units } = await lastHour(tx, rule, at)
    const { marginFloor } = terms()
    const unit = nextFollowed(
      rule,
      { schedule: unitPriceAt(terms(), at), marginFloor },
      cost,
      units,
    )
    const own = found.find((one) => one.rule === rule.id)
    if (own?.unit === unit && own.cost === cost) return
    await tx.query(addFollowed, [rule.id, at, unit, cost])
  }

  async function work(): Promise<number> {
    const now = clock.now()
    const unit = wholesale()
    if (unit && unit !== recorded) {
      await db.query(addWholesale, [now, unit])
      recorded = unit
    }
    const at = new Date(now.getTime() + AHEAD_MS)
    for (const rule of await db.query(readRules, [at])) {
      if (holdsAt(rule, at)) await apart.alone(rule.id, () => db.transaction(moveOne(rule, at)))
    }
    return 0
  }

  const moveOne = (rule: FollowRule, at: Date) => async (tx: Tx) => {
    await tx.query(lockRules)
    await move(tx, rule, at)
  }

  const changed = async <T>(change: (tx: Tx) => Promise<T>): Promise<T> => {
    const result = await db.transaction(async (tx) => {
      await tx.query(lockRules)
      return change(tx)
    })
    await refresh()
    return result
  }
  const ending = () => new Date(clock.now().getTime() + AHEAD_MS)

  return {
    follow: (wanted) =>
      changed(async (tx) => {
        await tx.query(endRules, [wanted.group, false, ending()])
        return begin(tx, wanted, false)
      }),
    experiment(wanted, days) {
      return changed(async (tx) => {
        if (days < 1 || days > EXPERIMENT_DAYS_MAX) {
          const message = `An experiment takes 1 to ${EXPERIMENT_DAYS_MAX} days.`
          return refuse('validation_error', { message })
        }
        const rules = await tx.query(readRules, [clock.now()])
        if (rules.some(({ isExperiment }) => isExperiment)) {
          const message = 'An experiment is running. End it before you begin another.'
          return refuse('changed_meanwhile', { message })
        }
        return begin(tx, wanted, true, days * DAY_MS)
      })
    },
    end: (group, isExperiment) =>
      changed(async (tx) => {
        const ended = await tx.query(endRules, [group, isExperiment, ending()])
        return ended.length > 0
      }),
    loop: createLoop({ name: 'pricing.follow', everyMs: EVERY_MS, log, work }),
  }
}
