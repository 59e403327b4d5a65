import {
  Answers,
  type Call,
  getCheckout,
  getEstimate,
  getOrder,
  getOrders,
  getPublicEnergy,
  getPublicProof,
  getPublicTransfer,
  type HandledRoute,
  handle,
  isRefusal,
  postBuy,
  postBuyBatch,
  postCheckout,
  postQuote,
  refuse,
} from '@ergon/contract'
import { type HexAddress, toHex } from '@ergon/tron'
import type { Addresses } from '../addresses/index.ts'
import type { Delivery } from '../delivery/index.ts'
import { formatTrx, isUuid, sun } from '../kernel/index.ts'
import type { Pricing } from '../pricing/index.ts'
import type { Wish } from './buy.ts'
import type { Checkout } from './checkout.ts'
import { creditReply, orderReply } from './orderReply.ts'
import type { Orders } from './orders.ts'
import { sellingOff } from './quote.ts'

type Deps = {
  orders: Orders
  pricing: Pricing
  delivery: Delivery
  usdtContract: HexAddress
}

export function orderRoutes(deps: Deps): HandledRoute[] {
  const { orders, pricing, delivery } = deps

  return [
    proofRoute({ orders, delivery }),
    transferRoute(orders),
    handle(getEstimate, async ({ account }, { query }) => {
      const { resource_type = 'ENERGY', duration = '1h' } = query
      if (resource_type !== 'ENERGY') return refuse('unsupported_resource')
      if (duration !== '1h') return refuse('invalid_duration')
      const amount = BigInt(query.resource_amount)
      const price = pricing.priceFor(account, amount)
      const { minAmount, maxAmount } = orders.boundsOf(account)
      const inBounds = amount >= minAmount && amount <= maxAmount
      if (inBounds) {
        if (!(await orders.selling()).enabled) return sellingOff()
        const refusal = orders.quoteRefusal(amount, price)
        if (refusal) return refusal
      }
      return {
        total_price_sun: price,
        total_price_trx: formatTrx(price),
        min_amount: Number(minAmount),
        max_amount: Number(maxAmount),
      }
    }),
    handle(postBuy, ({ account, trace, source }, { headers, body }) =>
      orders.buy({ account, trace, source, key: headers['idempotency-key'] }, wishOf(body)),
    ),
    handle(postBuyBatch, async ({ account, trace, source }, { body: { purchases, mode } }) => {
      const wanted = purchases.map((one) => ({
        buyer: { account, trace, source, key: one.idempotency_key },
        wish: wishOf(one),
      }))
      return new Answers(postBuy, await orders.batches[mode](wanted))
    }),
    handle(postQuote, async ({ account }, { body }) => {
      const held = await orders.holdPrice(account, BigInt(body.resource_amount))
      if (isRefusal(held)) return held
      return {
        id: held.id,
        resource_amount: Number(held.amount),
        price_sun: held.price,
        price_trx: formatTrx(held.price),
        expires_at: held.expiresAt.toISOString(),
      }
    }),
    handle(getOrder, ({ account }, { params: { id } }) => orders.answerTo(account, id)),
    handle(getOrders, async ({ account }, { query }) => {
      const { page, page_size, receiver_address: address = '' } = query
      const found = await orders.list(account, { page, pageSize: page_size, address })
      return { orders: found.orders.map(orderReply), total: Number(found.total), page, page_size }
    }),
    handle(getPublicEnergy, async (_caller, { query }) => {
      const token = query.token === undefined ? deps.usdtContract : toHex(query.token)
      const cost = await orders.transferCost({
        from: toHex(query.from),
        to: toHex(query.to),
        token,
        isUsdt: token === deps.usdtContract,
      })
      if (isRefusal(cost)) return cost
      return {
        energy: Number(cost.energy),
        energy_class: cost.energyClass,
        energy_source: cost.energySource,
        price_sun: cost.price,
        price_trx: formatTrx(cost.price),
        burn_cost_trx: formatTrx(cost.burnCost),
        receiver_activated: cost.receiverActivated,
        receiver_holds_token: cost.receiverHoldsToken,
      }
    }),
  ]
}

function transferRoute(orders: Orders): HandledRoute {
  return handle(getPublicTransfer, async (_caller, { params: { txid } }) => {
    const found = await orders.diagnoseTransfer(txid.toLowerCase())
    if (isRefusal(found)) return found
    return {
      verdict: found.verdict,
      message: found.message,
      energy_needed: Number(found.energyNeeded),
      energy_had: Number(found.energyHad),
      burned_trx: formatTrx(found.burned),
      price_with_energy_trx: formatTrx(found.priceWithEnergy),
    }
  })
}

function wishOf(body: Call<typeof postBuy>['body']): Wish {
  return {
    receiver: body.receiver_address,
    amount: BigInt(body.resource_amount),
    resourceType: body.resource_type ?? 'ENERGY',
    duration: body.duration ?? '1h',
    maxPrice: body.max_price_sun === undefined ? undefined : sun(BigInt(body.max_price_sun)),
    quote: body.quote_id,
  }
}

/** Mounted for the workspace only: paying by transfer needs a page. */
export function checkoutRoutes(deps: { orders: Orders; addresses: Addresses }): HandledRoute[] {
  const { orders, addresses } = deps
  const checkoutReply = async (account: string, { order, amount, expiresAt }: Checkout) => ({
    ...orderReply(order),
    deposit_address: await addresses.depositAddressOf(account),
    amount_sun: amount,
    amount_trx: formatTrx(amount),
    expires_at: expiresAt.toISOString(),
  })
  return [
    handle(postCheckout, async ({ account, trace }, { body }) => {
      const checkout = await orders.openCheckout(
        { account, trace, source: 'checkout', key: undefined },
        wishOf(body),
      )
      return isRefusal(checkout) ? checkout : checkoutReply(account, checkout)
    }),
    handle(getCheckout, async ({ account }, { params }) => {
      const checkout = isUuid(params.id) ? await orders.findCheckout(account, params.id) : undefined
      return checkout ? checkoutReply(account, checkout) : refuse('order_not_found')
    }),
  ]
}

/** Unknown, malformed and open orders get the same answer, so that ids cannot be probed. */
function proofRoute({ orders, delivery }: Pick<Deps, 'orders' | 'delivery'>): HandledRoute {
  return handle(getPublicProof, async (_caller, { params: { order_id } }) => {
    const order = isUuid(order_id) ? await orders.findCompleted(order_id) : undefined
    const proof = order && (await delivery.proofOf(order_id))
    if (!order || !proof) return refuse('order_not_found')
    const credits = await orders.creditsOf(order_id)
    return {
      order_id,
      resource_amount: Number(order.amount),
      receiver_address: order.receiver,
      delegations: proof.delegations.map(({ txid, block, energy, delegatedAt, reclaimedAt }) => ({
        txid,
        block: Number(block),
        energy: Number(energy),
        delegated_at: delegatedAt.toISOString(),
        reclaimed_at: reclaimedAt?.toISOString() ?? null,
      })),
      credits: credits.map(creditReply),
      seconds_to_delivery: proof.secondsToDelivery,
    }
  })
}
