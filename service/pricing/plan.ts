import { formatTrx, type Sun } from '../kernel/index.ts'

/** What AutoEnergy costs. A subscription keeps the plan as it was when it began. */
export type Plan = {
  name: string
  activationFee: Sun
  dailyFee: Sun
  unit65k: Sun
  unit131k: Sun
  /** Days until a subscription expires; null: never. */
  termDays: bigint | null
}

/** The plan as clients read it, on the price list and in a subscription. */
export function planReply(plan: Plan) {
  return {
    name: plan.name,
    activation_fee_trx: formatTrx(plan.activationFee),
    daily_sub_trx: formatTrx(plan.dailyFee),
    unit_price_65k_trx: formatTrx(plan.unit65k),
    unit_price_131k_trx: formatTrx(plan.unit131k),
    term_days: plan.termDays === null ? null : Number(plan.termDays),
  }
}
