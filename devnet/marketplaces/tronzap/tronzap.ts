import { createHash } from 'node:crypto'
import { toBase58 } from '@ergon/tron'
import { isSame } from '../access.ts'
import type { Dialect, MarketRequest, Reply } from '../dialect.ts'
import { objectOf, whole } from '../fields.ts'
import type { Market, Why } from '../market.ts'
import type { Order } from '../order.ts'

const minimum = 50_000n
const maximum = 2_000_000n

type Handler = (body: Record<string, unknown>, market: Market) => Reply | Promise<Reply>

/** TronZap as its SDKs show it: every call a POST, errors with HTTP 200, amounts in TRX. */
export const tronzap: Dialect = {
  name: 'tronzap',
  unitPrice: 22n,
  path: '',
  newId: (count, wallMs) => `${wallMs}-${count}`,
  async answer(request, market) {
    if (!isSigned(request, market)) return failed(1, 'unauthorized')
    const handler = request.method === 'POST' ? handlers[request.pathname] : undefined
    if (!handler) return { status: 404, json: { code: 404, key: 'not_found', error: 'Not found' } }
    return handler(objectOf(request.body), market)
  },
}

const handlers: Record<string, Handler> = {
  '/v1/services': (_body, market) => services(market),
  '/v1/balance': (_body, market) =>
    ok({ balance: trxOf(market.balance()), address: toBase58(market.delegator) }),
  '/v1/calculate': calculate,
  '/v1/transaction/new': create,
  '/v1/transaction/check': check,
}

function isSigned({ headers, body }: MarketRequest, { access }: Market): boolean {
  const expected = createHash('sha256').update(`${body}${access.secret}`).digest('hex')
  return (
    isSame(headers.authorization, `Bearer ${access.key}`) &&
    isSame(headers['x-signature'], expected)
  )
}

function services(market: Market): Reply {
  const { unitPrice } = market.script()
  const pack = (energy: bigint) => trxOf(energy * unitPrice)
  const tier = {
    duration: 1,
    min_amount: minimum,
    max_amount: maximum,
    price: pack(1_000n),
    price_32k: pack(32_000n),
    price_65k: pack(65_000n),
    price_131k: pack(131_000n),
  }
  return ok({ energy: [tier], bandwidth: [], activate_address: { price: 1.4 } })
}

function calculate(body: Record<string, unknown>, market: Market): Reply {
  const energy = whole(body.amount)
  const refusal = boundsRefusal(energy, body.duration)
  if (refusal || energy === undefined) return refusal ?? failed(11, 'invalid_energy_amount')
  const price = trxOf(energy * market.script().unitPrice)
  const { address, type, duration } = body
  return ok({ address, type, amount: energy, duration, price, activation_fee: 0, total: price })
}

async function create(body: Record<string, unknown>, market: Market): Promise<Reply> {
  const { service, external_id, params } = body
  const { address, amount, duration } = Object(params) as Record<string, unknown>
  if (service !== 'energy') return failed(2, 'invalid_service_or_params')
  const energy = whole(amount)
  const refusal = boundsRefusal(energy, duration)
  if (refusal || energy === undefined) return refusal ?? failed(11, 'invalid_energy_amount')
  const reference = typeof external_id === 'string' ? external_id : undefined
  const cost = energy * market.script().unitPrice
  // A number that was used before makes a second order all the same, as there.
  const placed = await market.place({ receiver: String(address), energy, cost, reference })
  if (placed.kind === 'silent') return 'silence'
  return placed.kind === 'refused' ? failed(...words[placed.why]) : ok(rendered(placed.order))
}

const words: Record<Why, [number, string]> = {
  scripted: [35, 'service_not_available'],
  stock: [35, 'service_not_available'],
  balance: [6, 'insufficient_funds'],
  address: [10, 'invalid_tron_address'],
  inactive: [24, 'address_not_activated'],
}

async function check({ id, external_id }: Record<string, unknown>, market: Market): Promise<Reply> {
  const found =
    id === undefined
      ? await market.search((one) => external_id !== undefined && one.reference === external_id)
      : await market.find((one) => one.id === id)
  return found ? ok(rendered(found)) : failed(20, 'transaction_not_found')
}

function boundsRefusal(energy: bigint | undefined, duration: unknown): Reply | undefined {
  if (energy === undefined || energy < minimum || energy > maximum) {
    return failed(11, 'invalid_energy_amount')
  }
  return duration === 1 ? undefined : failed(12, 'invalid_duration')
}

function rendered(order: Order) {
  const { state, delegation } = order
  const isSettled = state === 'done' || state === 'ended'
  return {
    id: order.id,
    external_id: order.reference ?? null,
    service: 'energy',
    params: { address: toBase58(order.receiver), amount: order.energy, duration: 1 },
    status: { paid: 'new', sent: 'pending', done: 'success', ended: 'failed' }[state],
    amount: trxOf(order.cost),
    created_at: new Date(order.acceptedAt).toISOString(),
    hash: isSettled ? (delegation?.txid ?? '') : '',
  }
}

/** As a JSON number, which is how it sends money. */
function trxOf(sun: bigint): number {
  return Number(sun) / 1e6
}

function ok(result: unknown): Reply {
  return { status: 200, json: { code: 0, result } }
}

function failed(code: number, key: string): Reply {
  const error = key.replaceAll('_', ' ')
  return { status: 200, json: { code, key, request_id: 'sandbox', error } }
}
