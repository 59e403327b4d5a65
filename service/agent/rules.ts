import { type Refusal, refuse } from '@ergon/contract'
import type { Pricing } from '../pricing/index.ts'
import { MILLI_TRX, type Offer } from './config.ts'

/** The refusal of an offer, in the order of the contract; undefined when it is allowed. */
export function offerRefusal(
  { pricing, account, maxUnitsCap }: { pricing: Pricing; account: string; maxUnitsCap: bigint },
  { energyPerUnit, basePayment, maxUnits }: Offer,
): Refusal | undefined {
  if (maxUnits < 1n || maxUnits > maxUnitsCap) return refuse('units_out_of_bounds')
  const { maxAmount } = pricing.terms()
  if (!isSellable(pricing, energyPerUnit) || energyPerUnit * maxUnits > maxAmount) {
    return refuse('energy_out_of_bounds')
  }
  if (basePayment % MILLI_TRX !== 0n) return refuse('base_not_mtrx')
  const { max } = pricing.costOver(account, energyPerUnit)
  // A base payment of zero would give unlimited units.
  if (basePayment < max || basePayment <= 0n)
    return refuse('base_below_cost', { cost_max_sun: max })
  return undefined
}

export function isSellable(pricing: Pricing, energy: bigint): boolean {
  const { minAmount, maxAmount } = pricing.terms()
  return energy >= minAmount && energy <= maxAmount
}

/** The same answer for a missing id, another account's id and an invalid id. */
export function noConfig(): Refusal {
  return refuse('not_found', { message: 'No such configuration. GET /agent/configs lists them.' })
}
