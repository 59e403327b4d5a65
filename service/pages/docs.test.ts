import {
  docUrlOf,
  eventTypes,
  type RefusalCode,
  refusals,
  routes,
  sandboxRoutes,
} from '@ergon/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestApp, type TestApp } from '../../proof/testing/app.ts'
import { buildPages } from '../../proof/testing/pages.ts'

let app: TestApp
beforeAll(async () => {
  buildPages()
  app = await openTestApp()
})
afterAll(() => app.close())

const anchorsOf = (text: string) => [...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id!)

test('the documentation is pages, and takes no other method', async () => {
  const page = await app.call('GET', '/docs')
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(page.headers.get('content-security-policy')).toMatch(
    /script-src 'self';.*style-src 'self';/,
  )
  for (const path of ['/docs', '/docs/guide/start']) {
    const refused = await app.call('POST', path, { body: {} })
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  }
  expect((await app.call('GET', '/docs/guide/nothing')).status).toBe(404)
  expect((await app.call('GET', '/docs/assets/nothing.js')).status).toBe(404)
  expect((await app.call('GET', '/docs/stamp')).status).toBe(404)
})

test('every link of every page leads somewhere, also to its place on the page', async () => {
  const seen = new Map<string, string[]>()
  const links: [from: string, path: string, anchor: string][] = []
  const visit = async (path: string): Promise<void> => {
    if (seen.has(path)) return
    seen.set(path, [])
    const { status, text } = await app.call('GET', path)
    expect([path, status]).toEqual([path, 200])
    if (!path.startsWith('/docs') || path.startsWith('/docs/assets')) return
    const anchors = anchorsOf(text)
    expect([path, anchors.length]).toEqual([path, new Set(anchors).size])
    seen.set(path, anchors)
    for (const [, link] of text.matchAll(/(?:href|src|data-search)="([^"]+)"/g)) {
      if (/^(data:|https?:)/.test(link!)) continue
      const [target, anchor = ''] = link!.split('#') as [string, string?]
      links.push([path, target || path, anchor])
      await visit(target || path)
    }
  }
  await visit('/docs')
  await visit('/docs/operating/going-live')
  const dead = links.filter(([, path, anchor]) => anchor && !seen.get(path)!.includes(anchor))
  expect(dead).toEqual([])
  for (const page of ['guide/start', 'guide/webhooks', 'operating/incidents', 'events', 'errors']) {
    expect([...seen.keys()]).toContain(`/docs/${page}`)
  }
})

test('every call, every event and every refusal has its place', async () => {
  const { text: home } = await app.call('GET', '/docs')
  for (const { name, path, auth } of [...routes, ...sandboxRoutes]) {
    if (auth !== 'session') expect([path, home.includes(`#${name}"`)]).toEqual([path, true])
  }
  const events = anchorsOf((await app.call('GET', '/docs/events')).text)
  expect(events).toEqual(expect.arrayContaining(Object.keys(eventTypes)))
})

test('a page and its files come packed, and files may be kept for ever', async () => {
  const ask = (path: string) => fetch(app.url + path, { headers: { 'accept-encoding': 'br' } })
  const page = await ask('/docs')
  expect(page.headers.get('content-encoding')).toBe('br')
  const [script] = /\/docs\/assets\/[^"]+\.js/.exec(await page.text())!
  const file = await ask(script)
  expect(file.headers.get('content-encoding')).toBe('br')
  expect(file.headers.get('cache-control')).toContain('immutable')
})

test('the operating manual is apart: no page of clients leads to it, production has none', async () => {
  const { text } = await app.call('GET', '/docs/guide/start')
  expect(text).not.toContain('/docs/operating')
  const production = await openTestApp({ sandbox: false })
  expect((await production.call('GET', '/docs/operating/incidents')).status).toBe(404)
  expect((await production.call('GET', '/docs/guide/start')).status).toBe(200)
  await production.close()
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
