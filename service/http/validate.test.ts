import { afterAll, beforeAll, expect, test } from 'vitest'
import { openShop, type Shop } from '../../proof/testing/shop.ts'

let shop: Shop
beforeAll(async () => {
  shop = await openShop()
})
afterAll(() => shop.close())

async function sell(body: unknown, query = '') {
  const response = await fetch(`${shop.url}/sales/1${query}`, {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  const answer = (await response.json()) as { detail: Fault[]; received: string }
  return { status: response.status, ...answer }
}

type Fault = { loc: (string | number)[]; msg: string; type: string }

const good = { amount: 1, buyer: 'Ada' }
const short = (faults: Fault[]) => faults.map(({ loc, type }) => [loc.join('.'), type])

test('what is right is understood as it was sent', async () => {
  const { status, received } = await sell({ ...good, gift: true, tags: ['a'] }, '?page=2&note=hi')
  expect(status).toBe(200)
  expect(JSON.parse(received)).toEqual({
    params: { id: '1' },
    query: { page: 2, note: 'hi' },
    body: { ...good, gift: true, tags: ['a'] },
  })
})

test('unknown fields are ignored, in the body and in the query', async () => {
  expect((await sell({ ...good, surprise: { deep: [1] } }, '?surprise=1')).status).toBe(200)
})

test('a request lists all its faults at once, with place and type', async () => {
  const { status, detail } = await sell(
    { amount: '65000', buyer: '', gift: 'yes', colour: 'green', tags: [1, 'ok', null] },
    '?page=0&note=far-too-long-a-note',
  )
  expect(status).toBe(422)
  expect(short(detail).sort()).toEqual(
    [
      ['query.page', 'greater_than_equal'],
      ['query.note', 'string_too_long'],
      ['body.amount', 'int_type'],
      ['body.buyer', 'string_too_short'],
      ['body.gift', 'bool_type'],
      ['body.colour', 'enum'],
      ['body.tags.0', 'string_type'],
      ['body.tags.2', 'string_type'],
    ].sort(),
  )
  for (const { msg } of detail) expect(msg).toMatch(/^[A-Z]/)
})

test('at most 20 faults are listed', async () => {
  const { detail } = await sell({ ...good, tags: Array.from({ length: 30 }, () => 1) })
  expect(detail).toHaveLength(20)
})

test.each([
  [
    '{}',
    [
      ['body.amount', 'missing'],
      ['body.buyer', 'missing'],
    ],
  ],
  ['', [['body', 'missing']]],
  ['   ', [['body', 'missing']]],
  ['null', [['body', 'object_type']]],
  ['[]', [['body', 'object_type']]],
  ['"x"', [['body', 'object_type']]],
  ['7', [['body', 'object_type']]],
])('a body of %s', async (body, faults) => {
  const { status, detail } = await sell(body)
  expect([status, short(detail)]).toEqual([422, faults])
})

test.each([
  ['"65000"', 'int_type'],
  ['[65000]', 'int_type'],
  ['6.5', 'int_type'],
  ['true', 'int_type'],
  ['null', 'int_type'],
  ['{}', 'int_type'],
  ['1e400', 'less_than_equal'],
  ['0', 'greater_than'],
  ['-0', 'greater_than'],
  ['-1', 'greater_than'],
  ['9007199254740992', 'less_than_equal'],
  ['9007199254740993', 'less_than_equal'],
  ['18446744073709551616', 'less_than_equal'],
  ['1e300', 'less_than_equal'],
])('amount %s is refused: %s', async (amount, type) => {
  const { status, detail } = await sell(`{"amount":${amount},"buyer":"Ada"}`)
  expect([status, short(detail)]).toEqual([422, [['body.amount', type]]])
})

test.each(['65000', '65000.0', '6.5e4', '9007199254740991'])(
  'amount %s is an integer',
  async (n) => {
    const { received } = await sell(`{"amount":${n},"buyer":"Ada"}`)
    expect(JSON.parse(received).body.amount).toBe(Number(n))
  },
)

test.each([
  ['1', 1],
  ['9007199254740991', Number.MAX_SAFE_INTEGER],
])('query integer %s is read strictly', async (given, page) => {
  const { received } = await sell(good, `?page=${given}`)
  expect(JSON.parse(received).query.page).toBe(page)
})

test.each([
  ['', 'int_type'],
  ['1.0', 'int_type'],
  ['1e3', 'int_type'],
  ['0x10', 'int_type'],
  ['+1', 'int_type'],
  ['%201', 'int_type'],
  ['true', 'int_type'],
  ['%00', 'int_type'],
  ['1&page=2', 'int_type'],
  ['-1', 'greater_than_equal'],
  ['9007199254740992', 'less_than_equal'],
  ['9'.repeat(400), 'less_than_equal'],
])('query integer "%s" is refused: %s', async (given, type) => {
  const { status, detail } = await sell(good, `?page=${given}`)
  expect([status, short(detail)]).toEqual([422, [['query.page', type]]])
})

test.each([
  ['NUL', '"a\\u0000b"'],
  ['a lone high surrogate', '"a\\ud800"'],
  ['a lone low surrogate', '"\\udc00a"'],
  ['surrogates in the wrong order', '"\\udc00\\ud800"'],
])('text with %s is refused: PostgreSQL cannot store it', async (_name, buyer) => {
  const { status, detail } = await sell(`{"amount":1,"buyer":${buyer}}`)
  expect([status, short(detail)]).toEqual([422, [['body.buyer', 'value_error']]])
})

test('NUL in a query is refused', async () => {
  const { status, detail } = await sell(good, '?note=a%00b')
  expect([status, short(detail)]).toEqual([422, [['query.note', 'value_error']]])
})

test('lengths count characters, not UTF-16 units', async () => {
  expect((await sell({ ...good, buyer: '😀'.repeat(8) })).status).toBe(200)
  expect((await sell({ ...good, buyer: '😀'.repeat(9) })).status).toBe(422)
})

test('names of the prototype are ordinary names', async () => {
  const hostile = '{"__proto__":{"amount":1},"constructor":1,"toString":2,"buyer":"Ada"}'
  const { detail } = await sell(hostile)
  expect(short(detail)).toEqual([['body.amount', 'missing']])
  expect((await sell(good, '?__proto__=1&constructor=2')).status).toBe(200)
  expect(({} as Record<string, unknown>).amount).toBeUndefined()
})

test('of a repeated field the last one counts', async () => {
  const { received } = await sell('{"amount":1,"amount":2,"buyer":"Ada"}')
  expect(JSON.parse(received).body.amount).toBe(2)
})

test('a body nested ten thousand deep is only a fault', async () => {
  const deep = `{"amount":${'['.repeat(10_000)}${']'.repeat(10_000)},"buyer":"Ada"}`
  const { status, detail } = await sell(deep)
  expect([status, short(detail)]).toEqual([422, [['body.amount', 'int_type']]])
})
