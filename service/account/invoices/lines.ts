import type { EntryType, PartSum } from '../../ledger/index.ts'

/** What a movement is on an invoice: charged for under a product, or money of the client that comes and goes. */
export const LINES = {
  api_purchases: { product: 'API', words: 'Energy bought' },
  api_refunds: { product: 'API', words: 'Refunds of orders that failed' },
  api_credits: { product: 'API', words: 'Credits for Energy taken back early' },
  autoenergy_activations: { product: 'AutoEnergy', words: 'Activations' },
  autoenergy_daily: { product: 'AutoEnergy', words: 'Daily fees' },
  autoenergy_units: { product: 'AutoEnergy', words: 'Covered transfers' },
  autoenergy_refunds: { product: 'AutoEnergy', words: 'Refunds' },
  agent_charges: { product: 'Agent program', words: 'Energy for sales to customers' },
  agent_refunds: { product: 'Agent program', words: 'Refunds of sales that failed' },
  referral_commissions: { product: 'Adjustments', words: 'Referral commissions' },
  adjustments: { product: 'Adjustments', words: 'Adjustments, such as goodwill' },
  other_refunds: { product: 'Adjustments', words: 'Other refunds' },
  deposits: { product: null, words: 'Deposits' },
  deposit_reversals: { product: null, words: 'Deposits that the chain took back' },
  agent_revenue: { product: null, words: 'Payments of customers at your pay pages' },
  agent_revenue_reversals: {
    product: null,
    words: 'Payments of customers that the chain took back',
  },
  payouts: { product: null, words: 'Payouts' },
  payout_reversals: { product: null, words: 'Payouts that did not arrive' },
} as const satisfies Record<string, { product: string | null; words: string }>

export type LineName = keyof typeof LINES

/** The order in which an invoice shows them. */
export const LINE_NAMES = Object.keys(LINES) as LineName[]

export const isCharge = (name: LineName) => LINES[name].product !== null

/** `amount` is signed as the client sees it: a charge is negative. */
export type Line = { name: LineName; ofMonth: string; count: bigint; amount: bigint }

const BY_KIND: Record<EntryType, LineName> = {
  purchase: 'api_purchases',
  reclaim_credit: 'api_credits',
  autoenergy_activate: 'autoenergy_activations',
  autoenergy_daily: 'autoenergy_daily',
  autoenergy_unit: 'autoenergy_units',
  agent_charge: 'agent_charges',
  refund: 'other_refunds',
  adjustment: 'adjustments',
  deposit: 'deposits',
  deposit_reversal: 'deposit_reversals',
  agent_revenue: 'agent_revenue',
  agent_revenue_reversal: 'agent_revenue_reversals',
  payout: 'payouts',
  payout_reversal: 'payout_reversals',
}

const REFUNDS: Record<string, LineName> = {
  purchase: 'api_refunds',
  agent_charge: 'agent_refunds',
  autoenergy_activate: 'autoenergy_refunds',
  autoenergy_daily: 'autoenergy_refunds',
  autoenergy_unit: 'autoenergy_refunds',
}

/** A kind that is not known here is an adjustment: no movement is left out. */
export function lineOf({ kind, charge, counter }: Pick<PartSum, 'kind' | 'charge' | 'counter'>) {
  if (kind === 'refund') return REFUNDS[charge ?? ''] ?? 'other_refunds'
  if (kind === 'adjustment' && counter === 'cost:referrals') return 'referral_commissions'
  return BY_KIND[kind as EntryType] ?? 'adjustments'
}

/** The ledger's sums as lines, in the order of an invoice; those of an earlier month last. */
export function linesOf(parts: readonly PartSum[]): Line[] {
  const lines = new Map<string, Line>()
  for (const part of parts) {
    const name = lineOf(part)
    const key = `${part.month} ${name}`
    const line = lines.get(key) ?? { name, ofMonth: part.month, count: 0n, amount: 0n }
    lines.set(key, {
      ...line,
      count: line.count + part.count,
      amount: line.amount + part.amount,
    })
  }
  return sorted([...lines.values()])
}

export function sorted(lines: Line[]): Line[] {
  return lines.sort(
    (a, b) =>
      LINE_NAMES.indexOf(a.name) - LINE_NAMES.indexOf(b.name) || (a.ofMonth < b.ofMonth ? 1 : -1),
  )
}

/** What the client is charged: charges less credits. */
export function totalOf(lines: readonly Line[]): bigint {
  return lines.reduce((sum, { name, amount }) => (isCharge(name) ? sum - amount : sum), 0n)
}
