import { expect, test } from 'vitest'
import { rules } from './rules.ts'
import { sourceOf } from './source.ts'

/** What each rule reports about invented files: `path:line  sentence`. */
function reported(files: Record<string, string>): string[] {
  const tree = Object.entries(files).map(([path, text]) => sourceOf(path, text))
  return rules
    .filter(({ name }) => !name.startsWith('every room'))
    .flatMap(({ check }) => check(tree))
    .map(({ path, line, sentence }) => `${path}:${line}  ${sentence}`)
}

/** Source with templates in it, written so that the linter does not take it for a mistake. */
const braces = (text: string) => text.replaceAll('@{', '$\u007b')

const DOOR = { 'service/ledger/schema/post.sql': '', 'service/identity/schema/x.sql': '' }
const marker = `TO${'DO'}`

test.each([
  [
    'service/agent/takePayment.ts',
    `\n\nimport { buy } from '../webhooks/index.ts'`,
    'service/agent/takePayment.ts:3  agent and webhooks are on one floor; let main register a participant instead',
  ],
  [
    'service/ledger/post.ts',
    `import type { Orders } from '../orders/index.ts'`,
    'service/ledger/post.ts:1  ledger may not import orders, which is above it; let main hand it over, or emit an event',
  ],
  [
    'service/orders/buy.ts',
    `import { post } from '../ledger/movement.ts'`,
    'service/orders/buy.ts:1  import service/ledger/index.ts instead: a room has one door',
  ],
  [
    'service/orders/buy.ts',
    `import { x } from '@ergon/tron/keys.ts'`,
    'service/orders/buy.ts:1  import tron/index.ts instead: a room has one door',
  ],
  [
    'service/http/mount.ts',
    `export { x } from '../identity/index.ts'`,
    'service/http/mount.ts:1  http imports no room; let main hand it what it needs of identity',
  ],
  [
    'service/pages/payPage.ts',
    `import { x } from '../agent/index.ts'`,
    'service/pages/payPage.ts:1  pages imports no room; let main hand it what it needs of agent',
  ],
  [
    'service/orders/buy.ts',
    `const main = await import('../app/app.ts')`,
    'service/orders/buy.ts:1  nothing imports app: let it hand over what you need',
  ],
  [
    'service/signer.ts',
    `import { x } from './chain/index.ts'`,
    'service/signer.ts:1  the signer imports kernel, db, signing, tron and nothing else',
  ],
  [
    'service/deposits/credit.ts',
    `import { x } from '../../proof/testing/until.ts'`,
    'service/deposits/credit.ts:1  proof is for tests; nothing of the service knows it',
  ],
  [
    'service/chain/scan.ts',
    `import { x } from '@ergon/devnet'`,
    'service/chain/scan.ts:1  chain may not import devnet; rooms know contract and tron',
  ],
  [
    'tron/client.ts',
    `import { x } from '../service/kernel/index.ts'`,
    'tron/client.ts:1  tron may not import kernel; it knows nothing of ours',
  ],
  [
    'service/orders/buy.test.ts',
    `import { x } from '../app/app.ts'`,
    'service/orders/buy.test.ts:1  a test of a room opens the house through proof/testing',
  ],
  [
    'service/cellar/index.ts',
    '',
    'service/cellar/index.ts:1  cellar has no floor; give it one in proof/houseRules/floors.ts',
  ],
])('imports: %s %s', (path, text, expected) => {
  expect(reported({ ...DOOR, [path]: text })).toEqual([expected])
})

test.each([
  ['service/orders/buy.ts', `import { x } from '../ledger/index.ts'\nimport './order.ts'`],
  ['service/orders/buy.test.ts', `import { x } from '../../proof/testing/app.ts'`],
  ['service/orders/buy.test.ts', `import { x } from '../agent/index.ts'`],
  ['service/app/rooms.ts', `import { x } from '../orders/index.ts'`],
  ['proof/testing/app.ts', `import { x } from '../../service/app/house.ts'`],
  [
    'service/ledger/post.ts',
    `// import { x } from '../orders/index.ts'\nconst a = "from '../orders/index.ts'"`,
  ],
  ['service/signer.ts', `import { sign } from '@ergon/tron'\nimport './signing/index.ts'`],
])('imports that are allowed: %s %s', (path, text) => {
  expect(reported({ ...DOOR, [path]: text })).toEqual([])
})

const SHARE = 'move what they share to the file it belongs to'
const importing = (name: string) => `import { x } from './${name}'`

test.each([
  [
    'two files',
    { 'tron/b.ts': `\n${importing('a.ts')}`, 'tron/a.ts': importing('b.ts') },
    ['tron/a.ts:1  tron/a.ts -> tron/b.ts -> tron/a.ts'],
  ],
  [
    'three files, one of them through an export and one when it is needed',
    {
      'web/a.tsx': importing('b.ts'),
      'web/b.ts': `export * from './c.ts'`,
      'web/c.ts': `const a = await import('./a.tsx')`,
    },
    ['web/a.tsx:1  web/a.tsx -> web/b.ts -> web/c.ts -> web/a.tsx'],
  ],
  [
    'types only',
    {
      'devnet/a.ts': `\nimport type { B } from './b.ts'`,
      'devnet/b.ts': `import { type A } from './a.ts'`,
    },
    ['devnet/a.ts:2  devnet/a.ts -> devnet/b.ts -> devnet/a.ts'],
  ],
  [
    'two that have a file in common',
    {
      'sdk/a.ts': importing('hub.ts'),
      'sdk/b.ts': importing('hub.ts'),
      'sdk/hub.ts': `${importing('a.ts')}\n${importing('b.ts')}`,
    },
    [
      'sdk/a.ts:1  sdk/a.ts -> sdk/hub.ts -> sdk/a.ts',
      'sdk/b.ts:1  sdk/b.ts -> sdk/hub.ts -> sdk/b.ts',
    ],
  ],
  [
    'none: two ways lead to one file, and a comment is no import',
    {
      'cli/a.ts': `${importing('b.ts')}\n${importing('c.ts')}`,
      'cli/b.ts': importing('d.ts'),
      'cli/c.ts': importing('d.ts'),
      'cli/d.ts': `// ${importing('a.ts')}`,
    },
    [],
  ],
])('circles of imports: %s', (_name, files, expected) => {
  expect(reported(files)).toEqual(expected.map((circle) => `${circle}; ${SHARE}`))
})

test.each([
  [
    'select 1\n  from ledger.account a',
    2,
    'schema ledger belongs to ledger; call one of its functions',
  ],
  [
    'insert into ledger.movement (id) values ($1)',
    1,
    'schema ledger belongs to ledger; call one of its functions',
  ],
  [
    'update ledger.account set x = 1',
    1,
    'schema ledger belongs to ledger; call one of its functions',
  ],
  [
    'select * from orders.item i join identity.api_key k on true',
    1,
    'schema identity belongs to identity; call one of its functions',
  ],
  [
    'create table orders.x (id uuid references ledger.account (id))',
    1,
    'foreign keys go only to identity.account; keep the id without one',
  ],
  [
    'update orders.item set at = now()',
    1,
    'now() is banned in SQL; pass clock.now() in, or use clock_timestamp() for a lease',
  ],
])('SQL: %s', (sql, line, sentence) => {
  const store = 'service/orders/store.ts'
  const schema = 'service/orders/schema/20260101T0000-x/up.sql'
  const text = `export const x = statement('orders.x', \`${sql}\`)`
  expect(reported({ ...DOOR, [store]: text })).toEqual([`${store}:${line}  ${sentence}`])
  expect(reported({ ...DOOR, [store]: '', [schema]: sql })).toEqual([
    `${schema}:${line}  ${sentence}`,
  ])
})

test.each([
  'select * from ledger.lock_accounts($1) as a where a.id = $2',
  'perform ledger.post_many($1)',
  'create table orders.x (account_id uuid references identity.account (id))',
  '-- ledger.account is not ours\nselect id from orders.item where lease < clock_timestamp()',
])('SQL that is allowed: %s', (sql) => {
  expect(reported({ ...DOOR, 'service/orders/schema/x.sql': sql })).toEqual([])
})

test('audit may read every schema', () => {
  const text = "export const x = statement('audit.x', `select from ledger.account`)"
  expect(reported({ ...DOOR, 'service/audit/store.ts': text })).toEqual([])
})

test('statements are in store.ts, or in a file named after their use case', () => {
  const text = "\nconst x = statement<Row>('orders.x', 'select now()')"
  expect(reported({ 'service/orders/buy.ts': text })).toEqual([
    "service/orders/buy.ts:2  move this statement to the room's store.ts, or to <useCase>.sql.ts beside its use case",
  ])
  const trouble =
    'now() is banned in SQL; pass clock.now() in, or use clock_timestamp() for a lease'
  const beside = { 'service/orders/buy.sql.ts': text, 'service/orders/buy.ts': '' }
  expect(reported(beside)).toEqual([`service/orders/buy.sql.ts:2  ${trouble}`])
  const alone = { 'service/orders/sale/buy.sql.ts': '' }
  expect(reported(alone)).toEqual([
    'service/orders/sale/buy.sql.ts:1  there is no service/orders/sale/buy.ts; name it after the use case that runs its statements',
  ])
})

const CLOCK = 'is banned here, use clock.now(), clock.elapsedMs() or clock.wallMs()'
const RANDOM = 'is banned here, use runtime.random or runtime.ids'
const TIMER = 'is banned here, use createLoop or within of kernel'
const CLIENTS = 'HTTP clients live in chain, providers, webhooks, chat and sandbox-api'

test.each([
  ['const t = Date.now()', `Date.now ${CLOCK}`],
  ['const t = new Date()', `new Date() ${CLOCK}`],
  ['const t = performance.now()', `performance.now ${CLOCK}`],
  ['const r = Math.random()', `Math.random ${RANDOM}`],
  ['const id = crypto.randomUUID()', `randomUUID ${RANDOM}`],
  ['setTimeout(run, 5)', `setTimeout ${TIMER}`],
  ['const p = process.env.PORT', 'process.env is banned here, take the settings from kernel'],
  ['await fetch(url)', `fetch is banned here, ${CLIENTS}`],
  [
    'console.log(key)',
    'console.log is banned here, use the log, which lets only listed fields through',
  ],
  [
    'const pool = new pg.Pool(config)',
    'new pg.Pool is banned here, use createPool or connectClient of db/connections.ts',
  ],
  [`import pg from 'pg'`, 'only db imports the driver; write a statement in store.ts'],
  [`import { request } from 'undici'`, CLIENTS],
  [`import { request } from 'node:http'`, CLIENTS],
  [
    `import { connect } from 'node:net'`,
    'sockets live in chain, providers, webhooks, chat and sandbox-api',
  ],
  [`import mail from 'nodemailer'`, 'only mail sends mail'],
  [
    `import { privateKeyAt } from '@ergon/tron'`,
    'private keys are in the signer alone; write a request through signing',
  ],
])('a door that is not there: %s', (code, sentence) => {
  const path = 'service/orders/buy.ts'
  expect(reported({ [path]: `\n${code}\n` })).toEqual([`${path}:2  ${sentence}`])
  expect(
    reported({ 'service/orders/buy.test.ts': `\n${code.replace('setTimeout', 'x')}\n` }),
  ).toEqual([])
})

test.each([
  ['service/kernel/clock.ts', 'const t = Date.now()'],
  ['service/providers/market.ts', 'await fetch(url)'],
  ['service/db/pool.ts', `import pg from 'pg'`],
  ['service/orders/buy.ts', '/* Date.now() */ const x = "Math.random()" // fetch(url)'],
  ['service/orders/buy.ts', braces('const x = `Date.now @{clock.now()} Math.random`')],
  ['service/orders/buy.ts', 'const at = new Date(row.at); prefetch(1); this.fetch(2)'],
])('words where they belong: %s %s', (path, code) => {
  expect(reported({ [path]: code })).toEqual([])
})

test('a word inside the braces of a template is code', () => {
  const files = { 'service/orders/buy.ts': braces('const x = `a @{`b @{Date.now()}`} c`') }
  expect(reported(files)).toEqual([`service/orders/buy.ts:1  Date.now ${CLOCK}`])
})

test('shape: long files, wide lines, leftovers, sleeping tests', () => {
  const long = { 'service/orders/buy.ts': 'x\n'.repeat(401) }
  expect(reported(long)).toEqual([
    'service/orders/buy.ts:401  401 lines; split it by what it does, 400 are the most',
  ])
  const wide = {
    'service/orders/buy.ts': `const x = ${'a + '.repeat(30)}b\nconst y = '${'s'.repeat(200)}'`,
  }
  expect(reported(wide)).toEqual([
    'service/orders/buy.ts:1  131 columns of code; run npm run format',
  ])
  const left = { 'service/orders/buy.ts': `// ${marker}: later\ndebugger` }
  expect(reported(left)).toEqual([
    `service/orders/buy.ts:1  ${marker}: do it, or write an issue and take this out`,
    'service/orders/buy.ts:2  debugger: take it out',
  ])
  const hidden = {
    'service/orders/buy.test.ts': "test.only('x', f)\nit.skip('y', f)\nsetTimeout(f, 9)",
  }
  expect(reported(hidden)).toEqual([
    'service/orders/buy.test.ts:1  .only hides every other test; take it out',
    'service/orders/buy.test.ts:2  .skip: repair or delete it',
    'service/orders/buy.test.ts:3  setTimeout: tests do not sleep, use until() or move the clock',
  ])
})

test('shape: a time limit that does not stretch', () => {
  const sentence = 'a slow machine would fail here; write stretched(…), or leave the limit out'
  const bare = ['}, 60_000)', 'const o = { timeout: 30_000 }', 'context.setDefaultTimeout(8_000)']
  expect(reported({ 'service/orders/buy.test.ts': bare.join('\n') })).toEqual(
    [1, 2, 3].map((line) => `service/orders/buy.test.ts:${line}  ${sentence}`),
  )
  const fine = ['}, stretched(300_000))', 'const o = { timeout: stretched(9) }', 'pay(who, 7_000)']
  expect(reported({ 'service/orders/buy.test.ts': fine.join('\n') })).toEqual([])
})

test('the repository: machines, registries, lockfile, versions, settings', () => {
  const [folder, host] = [`/ro${'ot'}/notes`, `https://regis${'try'}.example.org`]
  expect(
    reported({ 'docs/a.md': `see ${folder}\nand ${host}/x`, 'docs/b.md': 'GET /home' }),
  ).toEqual([
    `docs/a.md:1  ${folder} is a path of one machine; write it relative to the repository`,
    `docs/a.md:2  ${host} names a registry; leave it to the machine that installs`,
  ])
  const lock = {
    'package-lock.json': '{\n"resolved": "https://a.example/x.tgz",\n"resolved": "contract"}',
  }
  expect(reported(lock)[0]).toMatch(/^package-lock\.json:2 {2}a download address/)
  expect(reported(lock)).toHaveLength(1)
  const loose = { 'package.json': '{"engines":{"node": ">=20"},\n"pg": "^8.0.0"}' }
  expect(reported(loose)).toEqual(['package.json:2  "pg": "^8.0.0" is a range; write the version'])
  const settings = {
    'service/kernel/settings.ts':
      "export const settings = {\n  PORT: setting('8080'),\n  HOST: setting('')}",
    'docs/operating/settings.md': '| `PORT` | 8080 | the port |',
  }
  expect(reported(settings)).toEqual([
    'service/kernel/settings.ts:3  HOST is not in the table of docs/operating/settings.md; add its row',
  ])
})

test('what npm start runs has its packages among the dependencies', () => {
  const manifests = {
    'package.json':
      '{"dependencies": {"fastify": "5.0.0"}, "devDependencies": {"vite": "8.0.0", "ajv": "8.0.0"}}',
    'web/package.json': '{"dependencies": {"@mantine/core": "9.0.0"}}',
  }
  const service = [
    `import fastify from 'fastify'`,
    `import type { Ajv } from 'ajv'`,
    `import { readFileSync } from 'node:fs'`,
    `import { sun } from './money.ts'`,
    `import { Ajv } from 'ajv/dist/2020.js'`,
  ]
  const web = [
    `import '@mantine/core/styles.css'`,
    `const { build } = await import('vite')`,
    `export * from 'fastify'`,
  ]
  expect(
    reported({
      ...manifests,
      'service/kernel/x.ts': service.join('\n'),
      'service/kernel/x.test.ts': service.join('\n'),
      'web/x.tsx': web.join('\n'),
      'proof/x.ts': web.join('\n'),
    }),
  ).toEqual([
    'service/kernel/x.ts:5  ajv is not among the dependencies of package.json',
    'web/x.tsx:2  vite is not among the dependencies of web/package.json',
    'web/x.tsx:3  fastify is not among the dependencies of web/package.json',
  ])
})

test('a room without door or README', () => {
  const rule = rules.find(({ name }) => name.startsWith('every room'))!
  const found = rule.check([
    sourceOf('service/orders/buy.ts', ''),
    sourceOf('service/app/main.ts', ''),
    sourceOf('contract/index.ts', ''),
  ])
  expect(found.map(({ path }) => path)).toEqual([
    'service/orders/index.ts',
    'service/orders/README.md',
    'service/app/README.md',
    'contract/README.md',
  ])
})
