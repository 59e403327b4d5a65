import { toBase58 } from '@ergon/tron'
import { isSame } from '../access.ts'
import type { Dialect, MarketRequest, Reply } from '../dialect.ts'
import { objectOf, whole } from '../fields.ts'
import type { Market, Why } from '../market.ts'
import { delegatedEnergy, type Order } from '../order.ts'

const minimum = 32_000n
const pageSizeStandard = 10

/** TronSave v2: a key, no client reference, and orders that are never called failed. */
export const tronsave: Dialect = {
  name: 'tronsave',
  hidesPartialEnd: true,
  unitPrice: 19n,
  path: '',
  // The first eight digits are the second of its making, as in any ObjectId.
  newId: (count, wallMs) =>
    Math.floor(wallMs / 1_000)
      .toString(16)
      .padStart(8, '0') + count.toString(16).padStart(16, '0'),
  async answer(request, market) {
    const { method, pathname, query, body } = request
    if (method === 'POST' && pathname === '/v2/estimate-buy-resource') return estimate(body, market)
    const denial = denialOf(request, market)
    if (denial) return denial
    if (method === 'GET' && pathname === '/v2/user-info') return userInfo(market)
    if (method === 'POST' && pathname === '/v2/buy-resource') return buy(body, market)
    if (method === 'GET' && pathname === '/v2/orders') return list(query, market)
    const [, id] = /^\/v2\/order\/(\w+)$/.exec(pathname) ?? []
    if (method === 'GET' && id) return show(id, market)
    const message = `Route ${method}:${pathname} not found`
    return { status: 404, json: { message, error: 'Not Found', statusCode: 404 } }
  },
}

function denialOf({ headers }: MarketRequest, market: Market): Reply | undefined {
  if (headers.apikey === undefined) return trouble(401, 'TSAS:106 API_KEY_REQUIRED')
  const isKnown = isSame(headers.apikey, market.access.key)
  return isKnown ? undefined : trouble(401, 'TSAS:107 INVALID_API_KEY')
}

async function estimate(body: string, market: Market): Promise<Reply> {
  const { resourceAmount, durationSec = 259_200 } = objectOf(body)
  const amount = whole(resourceAmount)
  if (amount === undefined) return invalid("body must have required property 'resourceAmount'")
  const { unitPrice } = market.script()
  const available = await market.capacity()
  const estimateTrx = amount * unitPrice
  return ok(200, { unitPrice, durationSec, estimateTrx, availableResource: available })
}

function userInfo(market: Market): Reply {
  const address = toBase58(market.delegator)
  const balance = String(market.balance())
  return ok(200, {
    id: 'sandbox',
    balance,
    representAddress: address,
    depositAddress: address,
  })
}

async function buy(body: string, market: Market): Promise<Reply> {
  const { receiver, resourceAmount, unitPrice, durationSec, options } = objectOf(body)
  const amount = whole(resourceAmount)
  if (amount === undefined || typeof receiver !== 'string') {
    return invalid("body must have required property 'receiver'")
  }
  if (amount < minimum || durationSec !== 3_600) return trouble(400, 'TSAS:408 INVALID_PARAMS')
  const refusal = await refusalBy(market, { receiver, amount, unitPrice, options })
  if (refusal) return trouble(400, refusal)
  const cost = amount * market.script().unitPrice
  const placed = await market.place({ receiver, energy: amount, cost })
  if (placed.kind === 'silent') return 'silence'
  if (placed.kind === 'refused') return trouble(400, words[placed.why])
  return ok(201, { orderId: placed.order.id })
}

const words: Record<Why, string> = {
  scripted: 'TSAS:409 CANNOT_FULFILLED can not fulfill this order',
  stock: 'TSAS:409 CANNOT_FULFILLED can not fulfill this order',
  balance: 'TSAS:410 INTERNAL_BALANCE_ACCOUNT_TOO_LOW',
  address: 'TSAS:408 INVALID_PARAMS receiver',
  inactive: 'TSAS:408 INVALID_PARAMS receiver is not activated',
}

type Asked = { receiver: string; amount: bigint; unitPrice: unknown; options: unknown }

/** What its options forbid. */
async function refusalBy(market: Market, asked: Asked): Promise<string | undefined> {
  const { maxPriceAccepted, preventDuplicateIncompleteOrders } = Object(asked.options)
  const price = market.script().unitPrice
  const highest = whole(maxPriceAccepted)
  if (highest !== undefined && highest < price) {
    return 'TSAS:411 PRICE_EXCEED_MAX_PRICE_REQUIRED'
  }
  const offered = whole(asked.unitPrice)
  if (offered !== undefined && offered < price) return words.stock
  const twin = await market.find(
    ({ receiver, energy, state }) =>
      toBase58(receiver) === asked.receiver &&
      energy === asked.amount &&
      (state === 'paid' || state === 'sent'),
  )
  const isOpen = twin?.state === 'paid' || twin?.state === 'sent'
  return preventDuplicateIncompleteOrders === true && isOpen
    ? 'TSAS:412 MUST_BE_WAIT_PREVIOUS_ORDER_FILLED'
    : undefined
}

async function show(id: string, market: Market): Promise<Reply> {
  const found = await market.find((one) => one.id === id)
  return found ? ok(200, rendered(found)) : trouble(400, 'TSAS:408 INVALID_PARAMS order not found')
}

/** Newest first, pages from 0. */
async function list(query: URLSearchParams, market: Market): Promise<Reply> {
  await market.tick()
  const { statement } = market.script()
  if (statement === 'down') return { status: 503, json: { message: 'Service Unavailable' } }
  const size = Number(query.get('pageSize') ?? pageSizeStandard)
  const start = Number(query.get('page') ?? 0) * size
  const newest = market.listed().toReversed()
  const data = newest.slice(start, start + size).map(rendered)
  const isTorn = statement === 'unreadable'
  const shown = isTorn ? data.map((order) => ({ ...order, payoutAmount: null })) : data
  return ok(200, { data: shown, total: newest.length })
}

function rendered(order: Order) {
  const { id, energy, delegation, state } = order
  const filled = delegatedEnergy(order)
  const isFilled = state === 'done'
  return {
    id,
    requester: 'sandbox',
    receiver: toBase58(order.receiver),
    resourceAmount: energy,
    resourceType: 'ENERGY',
    remainAmount: isFilled ? 0n : energy - filled,
    price: order.cost / energy,
    durationSec: 3_600,
    orderType: 'NORMAL',
    allowPartialFill: true,
    // What was paid for: less than the price where a part was filled.
    payoutAmount: state === 'ended' ? order.cost - order.refund : order.cost,
    fulfilledPercent: isFilled ? 100 : Number((filled * 100n) / energy),
    delegates:
      filled > 0n ? [{ delegator: 'sandbox', amount: filled, txid: delegation?.txid }] : [],
  }
}

function ok(status: number, data: unknown): Reply {
  return { status, json: { error: false, message: 'Success', data } }
}

function trouble(status: number, message: string): Reply {
  return { status, json: { error: true, message, data: null } }
}

function invalid(message: string): Reply {
  const json = { statusCode: 400, code: 'FST_ERR_VALIDATION', error: 'Bad Request', message }
  return { status: 400, json }
}
