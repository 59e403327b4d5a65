import { docUrlOf, type RefusalCode, refusals } from '@ergon/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestApp, type TestApp } from '../../proof/testing/app.ts'

let app: TestApp
beforeAll(async () => {
  app = await openTestApp()
})
afterAll(() => app.close())

test('the reference is a page, and takes no other method', async () => {
  const page = await app.call('GET', '/docs')
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
  const refused = await app.call('POST', '/docs', { body: {} })
  expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
})

test('the guide is served beside the reference: every link of every page leads somewhere', async () => {
  const seen = new Set<string>()
  const visit = async (path: string): Promise<void> => {
    if (seen.has(path)) return
    seen.add(path)
    const { status, text, headers } = await app.call('GET', path)
    expect([path, status]).toEqual([path, 200])
    if (!path.startsWith('/docs')) return
    expect(headers.get('content-security-policy')).toContain("default-src 'none'")
    for (const [, link] of text.matchAll(/(?:href|src)="([^"#]+)/g)) {
      if (!link!.startsWith('data:')) await visit(link!)
    }
  }
  await visit('/docs')
  for (const page of ['guide/start', 'guide/webhooks', 'operating/incidents', 'guide.css']) {
    expect([...seen]).toContain(`/docs/${page}`)
  }
  expect((await app.call('GET', '/docs/guide/nothing')).status).toBe(404)
  expect((await app.call('POST', '/docs/guide/start', { body: {} })).status).toBe(405)
})

test.each([...Object.keys(refusals), 'invalid_request'])(
  '%s has the page that its doc_url names',
  async (code) => {
    const { status, text } = await app.call('GET', docUrlOf(code as RefusalCode, ''))
    expect(status).toBe(200)
    expect(text).toContain('What to do')
  },
)

test('a refusal leads to its page on this service', async () => {
  const { whole } = await app.call('GET', '/v1/account')
  const { doc_url } = JSON.parse(whole)
  expect(doc_url).toBe(`${app.url}/docs/errors/api_key_required`)
  expect((await fetch(doc_url)).status).toBe(200)
})

test('the guide warns against buying Energy for a covered address', async () => {
  const { text } = await app.call('GET', '/docs/guide/autoenergy')
  expect(text).toContain('On the chain there is one pool.')
  expect(text).toContain('Do not buy for an address that is covered.')
})

test('the guide says what may change within /v1, and how a removal is announced', async () => {
  const { text } = await app.call('GET', '/docs/guide/start')
  const words = text.replaceAll(/<[^>]+>|\s+/g, ' ').replaceAll(/ +/g, ' ')
  expect(words).toMatch(/What is taken away is taken away in \/v2 ?: twelve months before/)
  expect(words).toMatch(/Deprecation.*Sunset/)
})
