import { createHash, createHmac } from 'node:crypto'
import { toBase58 } from '@ergon/tron'
import { isSame } from '../access.ts'
import type { Dialect, MarketRequest, Reply } from '../dialect.ts'
import { whole } from '../fields.ts'
import type { Market, Why } from '../market.ts'
import type { Order } from '../order.ts'

const minimum = 65_000n
const skewMsMax = 5_000

/** CatFee as its documents and its clients show it: signed query, HTTP 200 also for most errors. */
export const catfee: Dialect = {
  name: 'catfee',
  unitPrice: 18n,
  path: '',
  newId: (count, wallMs) => createHash('sha256').update(`catfee ${count} ${wallMs}`).digest('hex'),
  async answer(request, market) {
    if (!isSigned(request, market)) {
      return { status: 401, json: { code: 401, msg: 'Unauthorized', data: null } }
    }
    const { method, pathname, query } = request
    if (method === 'GET' && pathname === '/v1/account') return account(market)
    if (method === 'GET' && pathname === '/v1/estimate') return estimate(query, market)
    if (method === 'POST' && pathname === '/v1/order') return order(query, market)
    const [, id] = /^\/v1\/order\/(\w+)$/.exec(pathname) ?? []
    if (method === 'GET' && id) return show(market, id)
    return { status: 404, json: { code: 404, msg: 'Not Found', data: null } }
  },
}

/** Time, method and path with its query, as they came. */
function isSigned({ headers, method, target }: MarketRequest, market: Market): boolean {
  const { key, secret } = market.access
  const at = String(headers['cf-access-timestamp'] ?? '')
  const isFresh =
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(at) &&
    Math.abs(Date.parse(at) - market.wallMs()) <= skewMsMax
  const expected = createHmac('sha256', secret).update(`${at}${method}${target}`).digest('base64')
  const isRight = isSame(headers['cf-access-sign'], expected)
  return headers['cf-access-key'] === key && isFresh && isRight
}

function account(market: Market): Reply {
  const wallet = toBase58(market.delegator)
  return ok({ balance: market.balance(), wallet, recharge_address: wallet })
}

function estimate(query: URLSearchParams, market: Market): Reply {
  const quantity = whole(query.get('quantity'))
  if (quantity === undefined || query.get('duration') !== '1h') return badParameters()
  return ok(quantity * market.script().unitPrice)
}

async function order(query: URLSearchParams, market: Market): Promise<Reply> {
  const reference = query.get('client_order_id') ?? undefined
  const known = reference && (await market.find((one) => one.reference === reference))
  // The first order again, whatever else the request says; nothing is charged.
  if (known) return ok(rendered(known, market))
  const quantity = whole(query.get('quantity'))
  const isTooLong = (reference?.length ?? 0) > 64
  if (quantity === undefined || query.get('duration') !== '1h' || isTooLong) return badParameters()
  if (quantity < minimum) return failed('QUANTITY_TOO_LOW')
  const placed = await market.place({
    receiver: query.get('receiver') ?? '',
    energy: quantity,
    cost: quantity * market.script().unitPrice,
    reference,
  })
  if (placed.kind === 'silent') return 'silence'
  return placed.kind === 'refused' ? refused(placed.why) : ok(rendered(placed.order, market))
}

async function show(market: Market, id: string): Promise<Reply> {
  const found = await market.find((one) => one.id === id)
  return found ? ok(rendered(found, market)) : failed('ORDER_NOT_FOUND')
}

function refused(why: Why): Reply {
  if (why === 'balance') {
    return { status: 200, json: { code: 201, msg: 'INSUFFICIENT_BALANCE', data: null } }
  }
  if (why === 'inactive') return failed('ADDRESS_NOT_ACTIVATED')
  return failed(why === 'address' ? 'INVALID_ADDRESS' : 'QUANTITY_TOO_HIGH')
}

function rendered(order: Order, market: Market) {
  const { state, delegation, reclaim, delegatedAt } = order
  return {
    id: order.id,
    resource_type: 'ENERGY',
    source_type: 'TRANSFER',
    pay_timestamp: order.acceptedAt,
    receiver: toBase58(order.receiver),
    delegate_hash: delegation?.txid ?? '',
    delegate_timestamp: delegatedAt ?? 0,
    reclaim_hash: reclaim?.txid ?? '',
    reclaim_timestamp: 0,
    pay_amount_sun: order.cost,
    activate_amount_sun: 0,
    quantity: order.energy,
    staked_sun: delegation?.stake ?? 0n,
    duration: 60,
    expired_timestamp: (delegatedAt ?? order.acceptedAt) + 3_600_000,
    status: statusOf(state),
    activate_status: 'ACTIVATE',
    confirm_status: state === 'done' ? 'DELEGATION_CONFIRMED' : 'UNCONFIRMED',
    balance: market.balance(),
  }
}

function statusOf(state: Order['state']): string {
  if (state === 'paid') return 'PAYMENT_SUCCESS'
  return state === 'ended' ? 'DELEGATE_FAIL' : 'DELEGATE_SUCCESS'
}

function ok(data: unknown): Reply {
  return { status: 200, json: { code: 0, msg: 'success', sub_code: null, sub_msg: null, data } }
}

function failed(what: string): Reply {
  const json = { code: 400, msg: 'FAIL', sub_code: what, sub_msg: what, data: null }
  return { status: 200, json }
}

function badParameters(): Reply {
  return { status: 400, json: { code: 400, msg: 'Bad Request', data: null } }
}
