// Proves: identity, pages, operator.
import { addressOfPrivateKey, signMessageV2, toBase58 } from '@ergon/tron'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readTerms, type TermsText } from '../../service/identity/index.ts'
import { readSettings } from '../../service/kernel/index.ts'
import { openTestApp, type TestApp } from '../testing/app.ts'
import { openOperator } from '../testing/operator.ts'
import { confirmSignUp, openVisitor, type Visitor } from '../testing/visitor.ts'

// Terms and privacy notice: shown, accepted at sign-up with their version, and asked for again when there is a new one.

const text = (document: 'terms' | 'privacy', version: string, words = ''): TermsText => ({
  document,
  version,
  sha256: Buffer.from(`${document} ${version} ${words}`.padEnd(32).slice(0, 32)).toString('hex'),
  text: `# The ${document}\n\n${words}`,
  isSample: false,
})
const FIRST = [text('terms', '2026-11'), text('privacy', '1')]

let app: TestApp
beforeAll(async () => {
  app = await openTestApp({ texts: FIRST })
})
afterAll(() => app.close())

const BOTH = { terms_version: '2026-11', privacy_version: '1' }
let people = 0
const ask = (body: Record<string, unknown>, of = app) =>
  openVisitor(of.url).call('POST', '/session/sign-up', {
    email: `reader${++people}@example.com`,
    ...body,
  })
async function enter(body: Record<string, unknown> = BOTH, of = app): Promise<Visitor> {
  const { link } = (await ask(body, of)).body
  const visitor = openVisitor(of.url)
  expect((await confirmSignUp(visitor, link)).status).toBe(200)
  return visitor
}
const acceptancesOf = async (visitor: Visitor, of = app) => {
  const { account_id } = (await visitor.call('GET', '/session')).body
  return of.database.sql(
    `select document, version, sha256, place from identity.terms_acceptance where account_id = $1 order by id`,
    [account_id],
  )
}
const documentsOf = async (visitor: Visitor) => (await visitor.call('GET', '/terms')).body.documents

test('a sign-up that does not name both versions is refused, and says what to read', async () => {
  for (const [body, document, version] of [
    [{}, 'terms', '2026-11'],
    [{ terms_version: '2026-11' }, 'privacy', '1'],
    [{ ...BOTH, terms_version: '2025-01' }, 'terms', '2026-11'],
  ] as const) {
    const { status, body: answer } = await ask(body)
    expect([status, answer.detail]).toMatchObject([
      400,
      { error: 'terms_not_accepted', document, version },
    ])
  }
  const [row] = await app.database.sql('select count(*)::int as n from identity.sign_up')
  expect(row).toEqual({ n: 0 })
})

test('what was accepted is kept with the account, and cannot be changed', async () => {
  const visitor = await enter()
  const rows = FIRST.map(({ document, version, sha256 }) => ({
    document,
    version,
    sha256,
    place: 'sign_up',
  }))
  expect(await acceptancesOf(visitor)).toEqual(rows)
  expect(await documentsOf(visitor)).toMatchObject([
    { document: 'terms', version: '2026-11', is_asked: false, accepted_at: expect.any(String) },
    { document: 'privacy', version: '1', is_asked: false, accepted_at: expect.any(String) },
  ])
  for (const change of [
    `update identity.terms_acceptance set version = '1'`,
    'delete from identity.terms_acceptance',
    `update identity.terms_text set text = ''`,
  ]) {
    await expect(app.database.sql(change)).rejects.toMatchObject({ constraint: 'acceptances_stay' })
  }
})

test('an unknown wallet accepts as well; a known one signs in as before', async () => {
  const key = 'd'.repeat(64)
  const address = toBase58(addressOfPrivateKey(key))
  const signIn = async (more: Record<string, unknown>) => {
    const visitor = openVisitor(app.url)
    const { nonce, message } = (
      await visitor.call('POST', '/session/wallet/challenge', { address })
    ).body
    const signature = signMessageV2(message, key)
    const answer = await visitor.call('POST', '/session/wallet', { nonce, signature, ...more })
    return { visitor, answer }
  }
  const refused = (await signIn({})).answer
  expect([refused.status, refused.body.detail.error]).toEqual([400, 'terms_not_accepted'])
  const { visitor, answer } = await signIn(BOTH)
  expect(answer.status).toBe(200)
  expect(await acceptancesOf(visitor)).toHaveLength(2)
  const again = await signIn({})
  expect(again.answer.status).toBe(200)
  expect(await acceptancesOf(again.visitor)).toHaveLength(2)
})

test('a new version is asked for and blocks nothing; operators see what was accepted', async () => {
  const visitor = await enter()
  const { cookies } = visitor
  // The service is started again with a new text.
  const next = await openTestApp({
    database: app.database,
    devnet: app.devnet,
    texts: [text('terms', '2027-01'), FIRST[1]!],
  })
  try {
    const later = openVisitor(next.url)
    for (const [name, value] of cookies) later.cookies.set(name, value)
    expect(await documentsOf(later)).toMatchObject([
      { document: 'terms', version: '2027-01', is_asked: true, accepted_at: null },
      { document: 'privacy', is_asked: false },
    ])
    expect((await later.call('GET', '/account')).status).toBe(200)
    const old = await later.call('POST', '/terms', { terms_version: '2026-11' })
    expect([old.status, old.body.detail.error]).toEqual([400, 'terms_not_accepted'])
    const done = await later.call('POST', '/terms', { terms_version: '2027-01' })
    expect([done.status, done.body.documents[0].is_asked]).toEqual([200, false])
    const ann = await openOperator(next, 'ann@example.com')
    const { account_id } = (await later.call('GET', '/session')).body
    expect((await ann.call('GET', `/accounts/${account_id}`)).body.accepted).toMatchObject([
      { document: 'terms', version: '2027-01', place: 'workspace' },
      { document: 'privacy', version: '1', place: 'sign_up' },
      { document: 'terms', version: '2026-11', place: 'sign_up' },
    ])
  } finally {
    await next.close()
  }
})

test('the texts are pages; nothing in them is markup or a script, and no other file is one', async () => {
  const hostile =
    '<script>alert(1)</script> [a](javascript:alert) ![b](https://x/"onerror=x) [c](//evil.example)'
  const shown = await openTestApp({
    database: app.database,
    devnet: app.devnet,
    texts: [text('terms', '3', hostile)],
  })
  try {
    const answer = await fetch(`${shown.url}/terms`)
    const page = await answer.text()
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      200,
      'text/html; charset=utf-8',
    ])
    expect(page).toContain('<h1 id="the-terms">The terms</h1>')
    expect(page).toContain('Version 3, shown since ')
    expect(page).not.toMatch(/<script|href="(javascript|\/\/)|"onerror/)
    expect(answer.headers.get('content-security-policy')).toContain("script-src 'self'")
    expect(await (await fetch(shown.url)).text()).toContain('<a href="/terms">Terms</a>')
    for (const path of ['/privacy', '/terms/..%2f..%2fpackage.json', '/terms.md', '/terms/x']) {
      expect([path, (await fetch(shown.url + path)).status]).toEqual([path, 404])
    }
  } finally {
    await shown.close()
  }
})

test("the sandbox's samples are shown, may be accepted, and hold up no program", async () => {
  const texts = readTerms(readSettings({}))
  expect(texts.map(({ isSample }) => isSample)).toEqual([true, true])
  expect(readTerms(readSettings({ MODE: 'production' }))).toEqual([])
  const sandbox = await openTestApp({ database: app.database, devnet: app.devnet, texts })
  try {
    const program = await enter({}, sandbox)
    expect(await acceptancesOf(program)).toEqual([])
    expect(await documentsOf(program)).toMatchObject([
      { is_sample: true, is_asked: false },
      { is_sample: true, is_asked: false },
    ])
    const reader = await enter({ terms_version: 'sample-1', privacy_version: 'sample-1' }, sandbox)
    expect(await acceptancesOf(reader)).toHaveLength(2)
    expect((await ask({ terms_version: 'sample-0' }, sandbox)).status).toBe(400)
    expect(await (await fetch(`${sandbox.url}/privacy`)).text()).toContain(
      'A sample of the sandbox',
    )
  } finally {
    await sandbox.close()
  }
})
