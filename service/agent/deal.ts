import { toHex } from '@ergon/tron'
import type { Chain, ReceiverState } from '../chain/index.ts'
import type { Sun } from '../kernel/index.ts'
import type { Orders } from '../orders/index.ts'
import type { Pricing } from '../pricing/index.ts'
import type { Config, Offer } from './config.ts'
import { bestGiven, type Given } from './judge.ts'
import { isSellable } from './rules.ts'

/** What a payment buys at the price of this moment. */
export type Deal = Pick<Given, 'units' | 'energy'> & {
  price: Sun
  basePayment: bigint
  perUnit: bigint
}

type Wish = { account: string; amount: bigint; offers: readonly [Offer, ...Offer[]] }

/**
 * The rules of a sale that need no query. Payments are decided by them, and so is `available` of a
 * pay page, which must not promise what the sale refuses.
 */
export function createDeals(deps: { chain: Chain; orders: Orders; pricing: Pricing }) {
  const { chain, orders, pricing } = deps
  return {
    dealFor({ account, amount, offers }: Wish): Deal | 'below_base' | 'price_above_base' {
      const priceOf = ({ energy }: Given) => pricing.priceFor(account, energy)
      // The client never pays us more for a sale than its customer paid for the units. By the schedule, which
      // the base payment was made for: a followed price may move between the pay page and the payment.
      const isCovered = ({ energy, units, offer }: Given) =>
        pricing.listedFor(account, energy) <= units * offer.basePayment
      const canBeSold = (one: Given) => isSellable(pricing, one.energy) && isCovered(one)
      const given = bestGiven(amount, offers, canBeSold)
      if (given.units === 0n) return 'below_base'
      if (!isCovered(given)) return 'price_above_base'
      const { units, energy, offer } = given
      const { basePayment, energyPerUnit: perUnit } = offer
      return { units, energy, price: priceOf(given), basePayment, perUnit }
    },

    /** An own address is accepted while no node answers, so every sale asks. Wallets are cached. */
    async addressState({
      mode,
      address,
    }: Pick<Config, 'mode' | 'address'>): Promise<ReceiverState> {
      return mode === 'generated' ? 'able' : chain.receivers.stateOf(toHex(address))
    },

    /** False while nobody can deliver it, it would be sold at a loss, or the scanner is behind. */
    canSell: ({ energy, price }: Deal): boolean => orders.sales.canSell(energy, price),
  }
}
