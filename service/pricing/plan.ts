import { formatTrx, parseTrx, type Sun } from '../kernel/index.ts'

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

export const PLAN_WRONG =
  'A plan has fees of 0 or more and unit prices above 0, as decimal TRX; 131k costs no less than 65k.'

type PlanBody = {
  name: string
  activation_fee_trx: string
  daily_sub_trx: string
  unit_price_65k_trx: string
  unit_price_131k_trx: string
  term_days?: number | null
}

/** Undefined when the plan is not valid. */
export function planOf(body: PlanBody): Plan | undefined {
  const amount = (text: string): Sun | undefined => {
    const parsed = parseTrx(text)
    return parsed !== undefined && parsed >= 0n ? parsed : undefined
  }
  const activationFee = amount(body.activation_fee_trx)
  const dailyFee = amount(body.daily_sub_trx)
  const unit65k = amount(body.unit_price_65k_trx)
  const unit131k = amount(body.unit_price_131k_trx)
  if (activationFee === undefined || dailyFee === undefined || !unit65k || !unit131k)
    return undefined
  if (unit131k < unit65k) return undefined
  const termDays = body.term_days ? BigInt(body.term_days) : null
  return { name: body.name, activationFee, dailyFee, unit65k, unit131k, termDays }
}
