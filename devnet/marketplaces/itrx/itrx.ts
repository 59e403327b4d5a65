import { createHmac } from 'node:crypto'
import { toBase58 } from '@ergon/tron'
import { isSame } from '../access.ts'
import type { Dialect, MarketRequest, Reply } from '../dialect.ts'
import { objectOf, whole } from '../fields.ts'
import type { Market, Why } from '../market.ts'
import { delegatedEnergy, type Order } from '../order.ts'

const prefix = '/api/v1/frontend'
const minimum = 12_000n
const maximum = 200_000_000n
const smallAmount = 50_000n
const smallAddition = 600_000n
const skewSecondsMax = 60

/** iTRX as its documents show it: GET by key alone, POST signed over the body, `errno` in the body. */
export const itrx: Dialect = {
  name: 'itrx',
  unitPrice: 20n,
  path: prefix,
  newId: (count, wallMs) => `${wallMs}${String(count).padStart(6, '0')}`,
  async answer(request, market) {
    const { method, pathname, query } = request
    const at = pathname.replace(/\/$/, '').slice(prefix.length)
    if (method === 'GET' && at === '/index-data') return indexData(request, market)
    if (method === 'GET' && at === '/order/price') return price(query, market)
    if (request.headers['api-key'] !== market.access.key) return denied('API-KEY is not valid')
    if (method === 'GET' && at === '/order/query') return show(query, market)
    if (method !== 'POST') return { status: 404, json: { detail: 'Not found.' } }
    if (!isSigned(request, market)) return denied('SIGNATURE is not valid')
    if (at === '/order') return order(request.body, market)
    if (at === '/order/reclaim') return reclaim(request.body, market)
    return { status: 404, json: { detail: 'Not found.' } }
  },
}

function isSigned({ headers, body }: MarketRequest, market: Market): boolean {
  const at = String(headers.timestamp ?? '')
  const isFresh = Math.abs(Number(at) - market.wallMs() / 1_000) <= skewSecondsMax
  const expected = createHmac('sha256', market.access.secret).update(`${at}&${body}`).digest('hex')
  return /^\d{10}$/.test(at) && isFresh && isSame(headers.signature, expected)
}

/** A wrong key is no error here: the balance is left out. */
async function indexData({ headers }: MarketRequest, market: Market): Promise<Reply> {
  const available = await market.capacity()
  const { unitPrice } = market.script()
  const isKnown = headers['api-key'] === market.access.key
  return {
    status: 200,
    json: {
      platform_avail_energy: available,
      platform_max_energy: available,
      minimum_order_energy: minimum,
      maximum_order_energy: maximum,
      small_amount: smallAmount,
      small_addition: 0.6,
      usdt_energy_need_old: 65_000,
      usdt_energy_need_new: 131_000,
      tiered_pricing: [
        { period: 0, price: unitPrice },
        { period: 1, price: unitPrice * 2n },
      ],
      balance: isKnown ? market.balance() : '',
    },
  }
}

function price(query: URLSearchParams, market: Market): Reply {
  const energy = whole(query.get('energy_amount'))
  const period = query.get('period')
  if (energy === undefined || period !== '1H') return bad('energy_amount')
  const { unitPrice } = market.script()
  const addition = additionOf(energy)
  const json = {
    period,
    energy_amount: energy,
    price: unitPrice,
    total_price: costOf(energy, market),
    addition,
  }
  return { status: 200, json }
}

async function order(body: string, market: Market): Promise<Reply> {
  const { energy_amount, period, receive_address, out_trade_no } = objectOf(body)
  const energy = whole(energy_amount)
  if (energy === undefined) return bad('energy_amount')
  if (period !== '1H') return bad('period')
  if (typeof receive_address !== 'string') return bad('receive_address')
  if (energy < minimum || energy > maximum) return failed('energy_amount is out of range')
  const reference = typeof out_trade_no === 'string' ? out_trade_no : undefined
  const cost = costOf(energy, market)
  const placed = await market.place({ receiver: receive_address, energy, cost, reference })
  if (placed.kind === 'silent') return 'silence'
  if (placed.kind === 'refused') return failed(sentences[placed.why])
  const { id: serial } = placed.order
  return { status: 200, json: { errno: 0, serial, amount: cost, balance: market.balance() } }
}

const sentences: Record<Why, string> = {
  scripted: 'platform energy is not enough',
  stock: 'platform energy is not enough',
  balance: 'balance is not enough',
  address: 'receive_address is not valid',
  inactive: 'receive_address is not activated',
}

/** By serial or by the client's number; the serial wins. Two orders may carry one number. */
async function show(query: URLSearchParams, market: Market): Promise<Reply> {
  const serial = query.get('serial')
  const reference = query.get('out_trade_no')
  const found =
    serial === null
      ? await market.search((one) => reference !== null && one.reference === reference)
      : await market.find((one) => one.id === serial)
  if (!found) return { status: 200, json: { errno: 404, message: 'order does not exist' } }
  return { status: 200, json: rendered(found) }
}

async function reclaim(body: string, market: Market): Promise<Reply> {
  const { serial } = objectOf(body)
  const found = await market.giveBack((one) => one.id === serial)
  return found ? { status: 200, json: { errno: 0 } } : failed('order does not exist')
}

function rendered(order: Order) {
  const { delegation, delegatedAt, reclaim: taken, closed, state } = order
  const isDelegated = delegation && (state === 'done' || state === 'ended')
  const detail = {
    delegate_hash: delegation?.txid,
    delegate_time: delegatedAt ?? order.acceptedAt,
    reclaim_hash: taken?.txid ?? '',
    reclaim_time: (delegatedAt ?? order.acceptedAt) + 3_600_000,
    reclaim_time_real: null,
    status: closed && taken ? 30 : 20,
  }
  return {
    errno: 0,
    receive_address: toBase58(order.receiver),
    order_no: order.id,
    energy_amount: order.energy,
    pay_amount: Number(delegatedEnergy(order)),
    amount: order.cost,
    details: isDelegated ? [detail] : [],
    create_time: order.acceptedAt,
    api_name: 'sandbox',
    period: 0,
    status: { paid: 20, sent: 30, done: 40, ended: 41 }[state],
    refund_amount: state === 'ended' ? order.refund : 0,
  }
}

function additionOf(energy: bigint): bigint {
  return energy < smallAmount ? smallAddition : 0n
}

function costOf(energy: bigint, market: Market): bigint {
  return energy * market.script().unitPrice + additionOf(energy)
}

function bad(field: string): Reply {
  return { status: 400, json: { [field]: ['A valid value is required.'] } }
}

function failed(message: string): Reply {
  return { status: 200, json: { errno: 1, message } }
}

function denied(detail: string): Reply {
  return { status: 403, json: { detail } }
}
