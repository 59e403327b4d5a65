import { expect, test } from 'vitest'
import { changeOf, differenceOf, type Place, plant } from './place.ts'
import { placesIn } from './sources.ts'

const inTypeScript = (text: string) => placesIn('service/orders/some.ts', text)
const inStatement = (sql: string) =>
  placesIn('service/orders/store.ts', `const a = statement('orders.a', \`${sql}\`)`)
const described = (places: Place[]) => places.map((place) => `${place.kind}: ${changeOf(place)}`)

test.each([
  ['if (a < b) go()', ['comparison: < -> <=', 'negation: a < b -> !(a < b)']],
  ['const ok = a === b && c >= 10n', ['comparison: === -> !==', 'order: && -> ||']],
  ['const ok = a >= 1_000n', ['border: >= -> >', 'border: 1_000n -> 1001n']],
  ['const sum = (a + b) * -c', ['sign: + -> -', 'sign: * -> /', 'sign: - -> nothing']],
  ['await save()', ['await: await -> nothing']],
  ['await save(tx)', ['await: await -> nothing']],
  ['await db.transaction(work)', ['await: await -> nothing']],
  ['await chain.node.query(a)', ['await: await -> nothing']],
  ['const BATCHES_MAX = 3', ['border: 3 -> 4']],
  ['const KEPT_MS = 30 * DAY_MS', ['border: 30 -> 31']],
  ['const most = Math.max(a, b)', ['order: max -> min']],
  ['const row = { open: true }', ['boolean: true -> false']],
  ['const row = open ? a : b', ['negation: open -> !(open)']],
  ['if (!open) go()', ['negation: ! -> nothing']],
])('%s has its bugs', (text, wanted) => {
  expect(described(inTypeScript(text))).toEqual(expect.arrayContaining(wanted))
})

test.each([
  `import { a } from './1.ts'`,
  '// if (a < b) the 1st is true',
  `const text = 'a < b && true + 1'`,
  'const text = `a < b, true`',
  'type Border = 1 | true',
  'const row = read<Map<string, 1>>(sources as Set<true>)',
  `log.warn('late', { count: 1 + 2, late: true })`,
  'assert(a >= 0, "below")',
  `const text = 'all of ' + name`,
  'const loop = { everyMs: 5_000 }',
  'const text: string = await read()',
  'await tx.query(insertPayments, [ids])',
  'const BATCH = 200',
  'const PRUNE_BATCH = 1_000',
  'const ASKED_AT_ONCE = 8',
  'const AT_ONCE_PER_WEBHOOK = 4',
  'const PAUSE_MS = 12',
])('%s is left alone', (text) => {
  expect(described(inTypeScript(text))).toEqual([])
})

test('a change in a nameless function belongs to the named one around it', () => {
  const text = 'const take = async () => {\n  rows.map((row) => row + 1)\n}'
  expect(inTypeScript(text).map(({ inFunctions, line }) => [inFunctions, line])).toEqual([
    [['take'], 2],
    [['take'], 2],
  ])
})

test('a constant belongs to the functions that use it, an exported one to the file', () => {
  const use = 'function take() {\n  return MOST\n}'
  expect(inTypeScript(`const MOST = 7\n${use}`)[0]!.inFunctions).toEqual(['take'])
  expect(inTypeScript(`export const MOST = 7\n${use}`)[0]!.inFunctions).toEqual([])
})

test('a maximum has no border, only a side', () => {
  const found = described(inTypeScript('const most = a > 0n ? a : 0n'))
  expect(found).toEqual(['negation: a > 0n -> !(a > 0n)', 'border: 0n -> 1n'])
  expect(described(inTypeScript('const one = a > b ? a : c'))).toContain('border: > -> >=')
})

test('letters beyond ASCII move no place', () => {
  const text = `const words = 'größer – 時'\nconst ok = a < b`
  expect(plant(text, inTypeScript(text)[0]!)).toBe(text.replace('<', '<='))
})

test.each([
  [
    'select a from t where b = $1 and c is null order by d',
    [
      'where: b = $1 -> (b = $1 or true)',
      'where: c is null -> (c is null or true)',
      'comparison: = -> <>',
      'order: and -> or',
      'negation: is -> is not',
      'order: d -> d desc',
    ],
  ],
  ['select max(a) from t order by b desc limit 1', ['order: max -> min', 'order: desc -> asc']],
  ['select a - b * 2 from t', ['sign: - -> +', 'sign: * -> /', 'border: 2 -> 3']],
  ['select a from t where not exists (select)', ['negation: not -> nothing']],
  ['select case when a > 0 then b end from t', ['negation: a > 0 -> not (a > 0)']],
  ['select a from t where b between 1 and 2 and c', ['where: c -> (c or true)']],
])('%s has its bugs', (sql, wanted) => {
  const found = described(inStatement(sql))
  expect(found).toEqual(expect.arrayContaining(wanted))
})

test.each([
  'update t set a = $1, b = $2',
  'select count(*), t.* from t -- where a = 1',
  `select 'a = 1 and true', "or" from t`,
  'select a::numeric(38, 0) from t order by a for update',
  'insert into t values ($1) on conflict (a) where b do nothing',
])('%s is left alone', (sql) => {
  expect(described(inStatement(sql))).toEqual([])
})

test('an and of between joins no conditions', () => {
  const found = described(inStatement('select a from t where b between 1 and 2 and c'))
  expect(found.filter((one) => one.startsWith('order'))).toEqual(['order: and -> or'])
  expect(found).toContain('where: b between 1 and 2 -> (b between 1 and 2 or true)')
})

test('what is filled into a statement is not changed, and moves nothing', () => {
  const text = `const a = statement('orders.a', \`select \${x < 1} from t where b = 1\`, {})`
  const places = placesIn('service/orders/store.ts', text)
  expect(described(places)).toEqual([
    'where: b = 1 -> (b = 1 or true)',
    'comparison: = -> <>',
    'border: 1 -> 2',
  ])
  expect(plant(text, places[1]!)).toBe(text.replace('b = 1', 'b <> 1'))
  expect(places[0]!.inStatement).toBe('orders.a')
})

test('in a file of functions only their bodies are changed', () => {
  const sql = [
    'create or replace function orders.f(a bigint default 1) returns bigint',
    `language sql set search_path = '' rows 100 as $$`,
    '  select a + 1',
    '$$;',
  ].join('\n')
  const places = placesIn('service/orders/schema/f.sql', sql)
  expect(described(places)).toEqual(['sign: + -> -', 'border: 1 -> 2'])
  expect(places[0]).toMatchObject({ inSqlFunction: 'orders.f', line: 3, room: 'orders' })
})

test('an id stays when other lines come and go', () => {
  const [before] = inTypeScript('const ok = a < b')
  const [after] = inTypeScript('// new\n\nconst ok = a < b')
  expect(after!.id).toBe(before!.id)
  expect(after!.line).toBe(3)
  const twice = inTypeScript('const ok = a < b\nconst ok = a < b')
  expect(new Set(twice.map(({ id }) => id)).size).toBe(2)
})

test('the difference shows whole lines', () => {
  const text = 'first\nconst ok = a < b\nlast'
  expect(differenceOf(text, inTypeScript('first\nconst ok = a < b\nlast')[0]!)).toBe(
    '-const ok = a < b\n+const ok = a <= b',
  )
})
