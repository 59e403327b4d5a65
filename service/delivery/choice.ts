import type { Absent, Offer } from '../providers/index.ts'
import type { PlannedPart } from './plan.ts'

/** The offers considered for a plan and the reasons, stored with the request for operators. */
export type Choice = { at: string; energy: string; considered: Considered[] }

type Considered = {
  provider: string
  unit_price_sun?: string
  capacity?: string
  fill_bps?: string
  taken: string
  why: string
}

export function explain(
  market: { offers: readonly Offer[]; absent: readonly Absent[] },
  wanted: { energy: bigint; at: Date; tried: readonly string[] },
  parts: readonly PlannedPart[] | undefined,
): Choice {
  const taken = new Map(parts?.map((part) => [part.provider, part.energy]))
  const considered = market.offers.map((offer): Considered => {
    const { provider, unitPrice, capacity, fillBps } = offer
    return {
      provider,
      unit_price_sun: String(unitPrice),
      capacity: String(capacity),
      fill_bps: String(fillBps),
      taken: String(taken.get(provider) ?? 0n),
      why: whyOf(offer, wanted, parts),
    }
  })
  const away = market.absent.map(({ provider, why }) => ({ provider, taken: '0', why }))
  return {
    at: wanted.at.toISOString(),
    energy: String(wanted.energy),
    considered: [...considered, ...away],
  }
}

function whyOf(
  { provider, capacity, minimum }: Offer,
  { energy, tried }: { energy: bigint; tried: readonly string[] },
  parts: readonly PlannedPart[] | undefined,
): string {
  if (tried.includes(provider)) return 'has not delivered this order before'
  if (!parts) return 'all together are not enough'
  if (parts.some((part) => part.provider === provider)) {
    return parts.length === 1 ? 'cheapest' : 'cheapest together with the others taken'
  }
  if (capacity < minimum || capacity <= 0n) return 'has no room'
  return capacity < energy ? 'cannot carry it alone, and a split is dearer' : 'dearer'
}
