import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type ApiError, ConnectionError, Ergon, isRefused, WaitTimeoutError } from './index.ts'

type Sent = { url: string; method: string; headers: Record<string, string>; body: unknown }
type Step = { status: number; body?: unknown; headers?: Record<string, string> } | 'broken' | 'hang'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** A service that answers the given steps in turn, then repeats the last one. */
function scripted(...steps: Step[]) {
  const sent: (Sent & { at: number })[] = []
  const answer = async (url: unknown, init: RequestInit = {}) => {
    const { method = 'GET', headers, body, signal } = init
    sent.push({
      url: String(url),
      method,
      headers: headers as Record<string, string>,
      body: body === undefined ? undefined : JSON.parse(String(body)),
      at: Date.now(),
    })
    const step = steps[Math.min(sent.length, steps.length) - 1]!
    if (step === 'broken') throw new TypeError('fetch failed', { cause: new Error('ECONNRESET') })
    if (step === 'hang') {
      return new Promise<Response>((_resolve, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason))
      })
    }
    const { status, body: reply, headers: given = {} } = step
    return new Response(reply === undefined ? null : JSON.stringify(reply), {
      status,
      headers: given,
    })
  }
  const ergon = new Ergon({
    baseUrl: 'http://service.test/v1/',
    apiKey: 'erg_test',
    fetch: answer as typeof fetch,
  })
  return { sent, ergon }
}

/** Runs the timers until the promise has settled, and returns its value or error. */
async function outcome<T>(promise: Promise<T>): Promise<T | Error> {
  let ended: { value: T | Error } | undefined
  promise.then(
    (value) => {
      ended = { value }
    },
    (error) => {
      ended = { value: error }
    },
  )
  while (!ended) await vi.advanceTimersByTimeAsync(100)
  return ended.value
}

const wish = { receiver_address: 'TQn9Y2khEsLJW1ChVWFMSMeRDow5KcbLSE', resource_amount: 65_000 }
const bought = { order_id: 'o', status: 'PENDING', total_price_sun: 1, total_price_trx: '0.000001' }

test('a purchase is tried again with the same key after no answer, 429, 5xx and its own twin', async () => {
  const { sent, ergon } = scripted(
    'broken',
    { status: 409, body: { detail: { error: 'duplicate_request' } } },
    { status: 429, body: { detail: 'Rate limit exceeded' }, headers: { 'retry-after': '7' } },
    { status: 503, body: { detail: { error: 'service_unavailable', message: 'later' } } },
    { status: 200, body: bought },
  )
  expect(await outcome(ergon.buy(wish))).toMatchObject({ order_id: 'o', total_price_sun: 1n })
  const keys = sent.map(({ headers }) => headers['idempotency-key'])
  expect(sent).toHaveLength(5)
  expect(new Set(keys).size).toBe(1)
  expect(keys[0]).toMatch(/^sdk-[0-9a-f]{32}$/)
  expect(sent[3]!.at - sent[2]!.at).toBeGreaterThanOrEqual(7_000)
  expect(sent[0]).toMatchObject({ url: 'http://service.test/v1/buy', method: 'POST', body: wish })
})

test('two purchases have two keys; a key that is given is used', async () => {
  const { sent, ergon } = scripted({ status: 200, body: bought })
  await outcome(ergon.buy(wish))
  await outcome(ergon.buy(wish))
  await outcome(ergon.buy(wish, { idempotencyKey: 'mine' }))
  const keys = sent.map(({ headers }) => headers['idempotency-key'])
  expect(new Set(keys).size).toBe(3)
  expect(keys[2]).toBe('mine')
})

test('a purchase that stays unanswered tells its key, so that it can be asked for again', async () => {
  const { sent, ergon } = scripted('hang')
  const error = await outcome(ergon.buy(wish))
  expect(error).toBeInstanceOf(ConnectionError)
  expect(sent).toHaveLength(5)
  expect(error).toHaveProperty('idempotencyKey', sent[0]!.headers['idempotency-key'])
})

test("somebody else's purchase with the same key in flight is reported, not waited for", async () => {
  const { sent, ergon } = scripted({
    status: 409,
    body: { detail: { error: 'duplicate_request' } },
  })
  const error = await outcome(ergon.buy(wish, { idempotencyKey: 'mine' }))
  expect(isRefused(error, 'duplicate_request')).toBe(true)
  expect(sent).toHaveLength(1)
})

test('a refusal is thrown at once, with its fields', async () => {
  const { sent, ergon } = scripted({
    status: 400,
    body: { detail: { error: 'insufficient_balance', current_balance: 5, required_amount: 9 } },
  })
  const error = await outcome(ergon.buy(wish))
  expect(sent).toHaveLength(1)
  if (!isRefused(error, 'insufficient_balance')) throw error
  const missing: bigint = error.fields.required_amount - error.fields.current_balance
  expect([missing, error.status]).toEqual([4n, 400])
  expect(error.message).toBe('insufficient_balance, current_balance 5, required_amount 9')
})

test('what a refusal says and its page come from wherever they are', async () => {
  const read = async (body: unknown) =>
    (await outcome(scripted({ status: 400, body }).ergon.order('x'))) as ApiError
  const help = { message: 'Do this.', doc_url: '/docs/errors/a_code' }
  const page = 'http://service.test/docs/errors/a_code'
  for (const body of [
    { detail: 'Order not found', ...help },
    { detail: { error: 'a_code', min: 1 }, ...help },
    { detail: { error: 'a_code', min: 1, ...help } },
    { error: 'a_code', ...help, detail: { error: 'a_code', ...help } },
    { detail: [{ loc: ['body'], msg: 'Is wrong', type: 'x' }], ...help },
  ]) {
    const { message, docUrl, fields } = await read(body)
    expect([message, docUrl]).toEqual(['Do this.', page])
    expect(Object.keys(fields).filter((name) => name !== 'min')).toEqual([])
  }
  const elsewhere = await read({ detail: 'x', message: 'y', doc_url: 'https://a.example/docs/b' })
  expect(elsewhere.docUrl).toBe('https://a.example/docs/b')
  expect((await read({ detail: 'x', doc_url: 7 })).docUrl).toBeUndefined()
})

test('what could be done twice is sent again only after 429', async () => {
  const config = {
    mode: 'generated',
    energy_per_unit: 1,
    base_payment_sun: 1_000n,
    max_units: 1,
  } as const
  for (const trouble of ['broken', { status: 502 }] as const) {
    const { sent, ergon } = scripted(trouble, { status: 201, body: { id: 'c' } })
    expect(await outcome(ergon.agent.create(config))).toBeInstanceOf(Error)
    expect(sent).toHaveLength(1)
  }
  const limited = scripted({ status: 429 }, { status: 201, body: { id: 'c' } })
  expect(await outcome(limited.ergon.agent.create(config))).toEqual({ id: 'c' })
})

test('every shape of a refusal is understood, and unknown codes pass through', async () => {
  const read = async (step: Step) => (await outcome(scripted(step).ergon.order('x'))) as ApiError
  expect(await read({ status: 404, body: { detail: 'Order not found' } })).toMatchObject({
    code: 'order_not_found',
    message: 'Order not found',
  })
  expect(await read({ status: 400, body: { detail: { code: 'new_code', min: 1 } } })).toMatchObject(
    {
      code: 'new_code',
      fields: { min: 1 },
    },
  )
  const twice = {
    error: 'address_exists',
    message: 'm',
    detail: { error: 'address_exists', message: 'm' },
  }
  expect(await read({ status: 409, body: twice })).toMatchObject({
    code: 'address_exists',
    message: 'm',
  })
  const fault = { loc: ['query', 'page'], msg: 'must be >= 1', type: 'greater_than_equal' }
  expect(await read({ status: 422, body: { detail: [fault] } })).toMatchObject({
    code: 'invalid_request',
    faults: [fault],
    message: 'query.page: must be >= 1',
  })
  expect(await read({ status: 418, body: '<html>' })).toMatchObject({
    code: 'http_418',
    status: 418,
  })
})

test('an aborted call ends at once with the reason, also while it waits to try again', async () => {
  for (const step of ['hang', 'broken'] as const) {
    const { sent, ergon } = scripted(step)
    const stop = new AbortController()
    const call = ergon.account({ signal: stop.signal })
    const ended = expect(call).rejects.toThrow('enough')
    await vi.advanceTimersByTimeAsync(50)
    stop.abort(new Error('enough'))
    await ended
    expect(sent).toHaveLength(1)
  }
})

test('waitForOrder looks every 2 to 3 seconds, waits trouble out, and ends when it is final', async () => {
  const { sent, ergon } = scripted(
    { status: 200, body: { id: 'x', status: 'PENDING' } },
    { status: 200, body: { id: 'x', status: 'PROCESSING' } },
    { status: 200, body: { id: 'x', status: 'FAILED' } },
  )
  const seen: unknown[] = []
  const order = await outcome(ergon.waitForOrder('x', { onLook: (o) => seen.push(o?.status) }))
  expect(order).toMatchObject({ status: 'FAILED' })
  expect(seen).toEqual(['PENDING', 'PROCESSING', 'FAILED'])
  const gaps = sent.slice(1).map(({ at }, index) => at - sent[index]!.at)
  for (const gap of gaps) expect(gap >= 2_000 && gap <= 3_000).toBe(true)
})

test('waitForOrder ends at its deadline, and at once for an order that does not exist', async () => {
  const slow = scripted({ status: 200, body: { id: 'x', status: 'PENDING' } })
  expect(await outcome(slow.ergon.waitForOrder('x', { timeoutMs: 10_000 }))).toBeInstanceOf(
    WaitTimeoutError,
  )
  const none = scripted({ status: 404, body: { detail: 'Order not found' } })
  expect(await outcome(none.ergon.waitForOrder('x'))).toMatchObject({ code: 'order_not_found' })
  expect(none.sent).toHaveLength(1)
})

test('waitForDeposit looks every 5 seconds until it is credited', async () => {
  const deposit = { tx_hash: 'h', status: 'pending', credited_at: null }
  const page = (deposits: unknown[]) => ({ status: 200, body: { deposits, has_more: false } })
  const { sent, ergon } = scripted(
    page([]),
    page([deposit]),
    page([{ ...deposit, status: 'confirmed', credited_at: '2026-11-15T00:00:00.000Z' }]),
  )
  expect(await outcome(ergon.waitForDeposit('h'))).toMatchObject({ status: 'confirmed' })
  expect(sent.map(({ at }) => at - sent[0]!.at)).toEqual([0, 5_000, 10_000])
})

test('a list that grows at its head while it is read gives every item once', async () => {
  const page = (ids: string[], total: number) => ({
    status: 200,
    body: { orders: ids.map((id) => ({ id })), total, page: 1, page_size: 2 },
  })
  const { sent, ergon } = scripted(page(['d', 'c'], 4), page(['c', 'b'], 5), page(['a'], 5))
  const orders = ergon.orders({ page_size: 2, receiver_address: 'TQ n' })
  expect((await orders.take(9)).map(({ id }) => id)).toEqual(['d', 'c', 'b', 'a'])
  expect(sent[1]!.url).toBe(
    'http://service.test/v1/orders?page=2&page_size=2&receiver_address=TQ+n',
  )
})
