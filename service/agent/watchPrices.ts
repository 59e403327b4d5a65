import { createApart, type Db } from '../db/index.ts'
import type { Events } from '../events/index.ts'
import type { Clock, Log } from '../kernel/index.ts'
import type { Pricing, Terms } from '../pricing/index.ts'
import { isSellable } from './rules.ts'
import { listForRisk, markRisk, type RiskRow } from './watchPrices.sql.ts'

const BATCH = 500
const FIRST = '00000000-0000-0000-0000-000000000000'
/** All configurations are checked this often, because discounts change without the schedule. */
const AGAIN_MS = 60_000

export type AtRisk = {
  id: string
  account: string
  title: string
  basePayment: bigint
  costMax: bigint
  /** One unit is smaller or larger than an order may be: nothing would be sold. */
  outside: boolean
  /** It was at risk before. */
  already: boolean
}

/** Every configuration once, in the order of the ids. */
async function* all(db: Db): AsyncGenerator<RiskRow> {
  for (let after = FIRST; ; ) {
    const rows = await db.query(listForRisk, [after, BATCH])
    yield* rows
    if (rows.length < BATCH) return
    after = rows.at(-1)!.id
  }
}

/** Configurations that could not sell in every hour under other terms. */
export async function riskUnder(
  { db, pricing }: { db: Db; pricing: Pricing },
  terms: Terms,
): Promise<AtRisk[]> {
  const found: AtRisk[] = []
  for await (const { id, account, title, basePayment, energyPerUnit } of all(db)) {
    const costMax = pricing.dearestUnder(terms.schedule, account, energyPerUnit)
    const outside = energyPerUnit < terms.minAmount || energyPerUnit > terms.maxAmount
    if (costMax <= basePayment && !outside) continue
    const tooDear = pricing.costOver(account, energyPerUnit).max > basePayment
    const already = tooDear || !isSellable(pricing, energyPerUnit)
    found.push({ id, account, title, basePayment, costMax, outside, already })
  }
  return found
}

/**
 * Emits agent.config_at_risk when the most expensive hour costs more than a base payment, so that
 * customers would be skipped in that hour. Once, until the base payment covers it again.
 */
export function createPriceWatch(deps: {
  db: Db
  clock: Clock
  log: Log
  events: Events
  pricing: Pricing
}) {
  const { db, clock, events, pricing } = deps
  const apart = createApart(deps, { loop: 'agent.watchPrices', kind: 'configuration' })
  let seen = ''
  let seenAtMs = Number.NEGATIVE_INFINITY
  let failed = 0

  async function mark({ id, account, energyPerUnit, basePayment }: RiskRow, costMax: bigint) {
    const atRisk = costMax > basePayment
    await db.transaction(async (tx) => {
      const values = [id, atRisk, energyPerUnit, basePayment]
      const [row] = await tx.query(markRisk, values)
      if (!row || !atRisk) return
      const data = {
        config_id: id,
        public_id: row.publicId,
        title: row.title,
        energy_per_unit: energyPerUnit,
        base_payment_sun: basePayment,
        cost_max_sun: costMax,
      }
      await events.emit(tx, [
        { account, type: 'agent.config_at_risk', subject: id, trace: id, data },
      ])
    })
  }

  return async function look(): Promise<number> {
    const schedule = pricing.terms().schedule.join()
    const now = clock.elapsedMs()
    // What failed is due again before the minute is over.
    const isWhole = failed === 0 || apart.waiting().length >= failed
    if (schedule === seen && now - seenAtMs < AGAIN_MS && isWhole) return 0
    for await (const row of all(db)) {
      const { max } = pricing.costOver(row.account, row.energyPerUnit)
      if (max > row.basePayment === row.atRisk) continue
      await apart.alone(row.id, () => mark(row, max))
    }
    seen = schedule
    seenAtMs = now
    failed = apart.waiting().length
    return 0
  }
}
