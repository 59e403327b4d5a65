// Proves: orders, account.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildPages } from '../testing/pages.ts'
import { openSandboxFolder, type SandboxFolder } from '../testing/sandboxFolder.ts'
import { until } from '../testing/until.ts'

// A language model that buys Energy: `ergon mcp`, spoken to as its programs do, a line of JSON at a time.

type Message = { id?: number; method?: string; params?: unknown; result?: unknown; error?: unknown }
type Told = { content: { text: string }[]; isError?: boolean }

let sandbox: SandboxFolder
let to: string
beforeAll(async () => {
  buildPages()
  sandbox = await openSandboxFolder()
  to = sandbox.market.receivers[1]!
})
afterAll(() => sandbox.close())

/** A session. `agree` is what the person answers when they are asked; without it nobody can be asked. */
async function open(args: string[], agree?: () => unknown) {
  const program = sandbox.start('ergon', ['mcp', ...args])
  const questions: string[] = []
  let last = 0
  let read = 0
  const messages = () => program.out().split('\n').slice(0, -1)
  const send = (message: Message) => program.write(JSON.stringify({ jsonrpc: '2.0', ...message }))

  function answerQuestions() {
    for (const line of messages().slice(read)) {
      read += 1
      const { id, method, params } = JSON.parse(line) as Message
      if (method !== 'elicitation/create') continue
      questions.push((params as { message: string }).message)
      send({ id: id!, result: agree!() })
    }
  }

  async function ask(method: string, params: unknown): Promise<Message> {
    const id = ++last
    send({ id, method, params })
    return until(`an answer to ${method}`, () => {
      answerQuestions()
      const all = messages().map((line): Message => JSON.parse(line))
      return all.find((message) => message.id === id && message.method === undefined)
    })
  }

  await ask('initialize', {
    protocolVersion: '2025-06-18',
    capabilities: agree ? { elicitation: {} } : {},
    clientInfo: { name: 'a test', version: '1' },
  })
  send({ method: 'notifications/initialized' })
  return {
    questions,
    ask,
    program,
    async call(name: string, given: unknown = {}) {
      const { result, error } = await ask('tools/call', { name, arguments: given })
      const { content, isError = false } = (result ?? { content: [] }) as Told
      return { text: content[0]?.text ?? '', isError, error }
    },
    async close() {
      program.endInput()
      expect(await program.ended).toBe(0)
      expect(program.err()).toBe('')
    },
  }
}

const priceOf = async (session: Awaited<ReturnType<typeof open>>) =>
  JSON.parse((await session.call('estimate', { resource_amount: 65_000 })).text).total_price_sun
const ordersCount = async () => {
  const { api_key } = sandbox.file.accounts[0]!
  return (await sandbox.market.call('GET', '/v1/orders', { key: api_key })).body.total
}

test('without --spend it reads and cannot buy', async () => {
  const session = await open([])
  const { result } = await session.ask('tools/list', {})
  const { tools } = result as { tools: { name: string; annotations: object }[] }
  expect(tools.map(({ name }) => name)).toEqual([
    'estimate',
    'balance',
    'orders',
    'order',
    'diagnose_transfer',
    'search_docs',
  ])
  expect(tools.every(({ annotations }) => 'readOnlyHint' in annotations)).toBe(true)
  expect(JSON.parse((await session.call('balance')).text)).toMatchObject({ balance_trx: '1000' })
  expect(JSON.parse((await session.call('orders', { limit: 1 })).text)).toEqual([])
  const missing = await session.call('order', { order_id: '0192b3a0-0000-7000-8000-000000000000' })
  expect(missing).toMatchObject({ isError: true, text: expect.stringContaining('order_not_found') })
  const unseen = await session.call('diagnose_transfer', { txid: 'ab'.repeat(32) })
  expect(unseen.text).toContain('No block has this transaction')
  const [hit] = JSON.parse((await session.call('search_docs', { query: 'idempotency' })).text)
  expect(hit).toEqual({
    url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/docs/),
    title: expect.stringMatching(/idempotency/i),
    text: expect.any(String),
  })
  const wanted = { receiver_address: to, resource_amount: 65_000 }
  const unknown = { error: { message: expect.stringContaining('buy') } }
  expect(await session.call('buy', wanted)).toMatchObject(unknown)
  expect(await ordersCount()).toBe(0)
  await session.close()
})

test('it buys within the limit, once per key, and above it only if a person agrees', async () => {
  let answered: unknown = { action: 'decline' }
  const session = await open(['--spend', '3'], () => answered)
  const price = await priceOf(session)
  expect(price * 2).toBeGreaterThan(3_000_000)
  const wanted = { receiver_address: to, resource_amount: 65_000, idempotency_key: 'first' }
  const bought = JSON.parse((await session.call('buy', wanted)).text)
  expect(bought).toMatchObject({ total_price_sun: price })
  expect(bought.session_limit_left_sun).toBe(3_000_000 - price)
  expect(JSON.parse((await session.call('buy', wanted)).text).order_id).toBe(bought.order_id)
  expect([session.questions, await ordersCount()]).toEqual([[], 1])

  const more = { receiver_address: to, resource_amount: 65_000 }
  const declined = { isError: true, text: expect.stringContaining('nobody has agreed') }
  expect(await session.call('buy', more)).toMatchObject(declined)
  answered = { action: 'accept', content: { confirm: false } }
  expect(await session.call('buy', more)).toMatchObject(declined)
  expect(await ordersCount()).toBe(1)
  expect(session.questions[0]).toMatch(
    new RegExp(`^Buy 65,000 Energy for ${to}, at most [\\d.]+ TRX\\? Of this session's limit `),
  )
  answered = { action: 'accept', content: { confirm: true } }
  const agreed = JSON.parse((await session.call('buy', more)).text)
  expect(agreed.session_limit_left_sun).toBe(3_000_000 - price)
  expect(await ordersCount()).toBe(2)
  await session.close()
})

test('two purchases at the same moment do not pass the limit together', async () => {
  const before = await ordersCount()
  const session = await open(['--spend', '3'])
  const wanted = { receiver_address: to, resource_amount: 65_000 }
  const both = await Promise.all([session.call('buy', wanted), session.call('buy', wanted)])
  expect(both.filter(({ isError, error }) => !isError && !error)).toHaveLength(1)
  // Nobody can be asked here.
  const refused = both.find(({ isError }) => isError)!.text
  expect(refused).toMatch(/^Not bought: it costs [\d.]+ TRX, and [\d.]+ TRX is left/)
  expect(refused).toContain('--spend')
  expect(await ordersCount()).toBe(before + 1)
  await session.close()
})

test('a refusal of the service takes nothing from the limit', async () => {
  const session = await open(['--spend', '3'])
  const refused = await session.call('buy', { receiver_address: 'nobody', resource_amount: 65_000 })
  expect(refused).toMatchObject({
    isError: true,
    text: expect.stringContaining('is not a TRON address'),
  })
  const wanted = { receiver_address: to, resource_amount: 65_000 }
  expect((await session.call('buy', wanted)).isError).toBe(false)
  await session.close()
})
