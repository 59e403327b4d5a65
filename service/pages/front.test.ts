import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestApp, type TestApp } from '../../proof/testing/app.ts'
import { buildPages } from '../../proof/testing/pages.ts'

let app: TestApp
beforeAll(async () => {
  buildPages()
  app = await openTestApp()
})
afterAll(() => app.close())

const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
const ask = (path: string, headers: Record<string, string> = BROWSER, method = 'GET') =>
  fetch(app.url + path, { method, headers, redirect: 'manual' })

test('the front shows the price now, works out others, and can be found', async () => {
  const page = await (await ask('/')).text()
  const { unit_price_sun } = (await app.call('GET', '/v1/public/pricing')).body
  expect(page).toContain(`now ${unit_price_sun}"`)
  expect(page).toContain('<form id="transfer">')
  expect(page).toMatch(/<meta name="description" content="[^"]{50,160}">/)
  expect(page).not.toContain('noindex')
})

test('every page comes packed; only front, documentation and sign-in can be found', async () => {
  for (const path of [
    '/',
    '/sign-in',
    '/overview',
    '/operator',
    '/pay/nothing',
    '/no-such',
    '/docs',
  ]) {
    for (const encoding of ['br', 'gzip']) {
      const page = await ask(path, { ...BROWSER, 'accept-encoding': encoding })
      expect([path, page.headers.get('content-encoding')]).toEqual([path, encoding])
      expect(page.headers.get('vary')).toContain('accept-encoding')
    }
    const html = await (await ask(path)).text()
    const isFound = ['/', '/docs', '/sign-in'].includes(path)
    expect([path, html.includes('<meta name="robots" content="noindex"')]).toEqual([path, !isFound])
    expect([path, html.includes('<meta name="description"')]).toEqual([path, isFound])
  }
})

test('a browser gets a page for a path that does not exist, unless it is one of the API', async () => {
  for (const path of ['/no-such-words', '/docs/no-such-words', '/operator/no-such-words']) {
    const page = await ask(path)
    expect([page.status, page.headers.get('content-type')]).toEqual([
      404,
      'text/html; charset=utf-8',
    ])
    expect(page.headers.get('content-security-policy')).toContain("style-src 'self'")
    const html = await page.text()
    expect(html).toContain('<h1>Nothing is here</h1>')
    expect(html).not.toContain('no-such-words')
  }
  const json = [
    ['GET', '/v1/nothing'],
    ['GET', '/app/v1/nothing'],
    ['GET', '/operator/v1/nothing'],
    ['GET', '/sandbox/nothing'],
    ['POST', '/nothing'],
  ] as const
  for (const [method, path] of json) {
    const answer = await ask(path, BROWSER, method)
    expect([path, answer.status]).toEqual([path, 404])
    expect(answer.headers.get('content-type')).toContain('application/json')
  }
  const program = await ask('/no-such-words', { accept: '*/*' })
  expect(program.headers.get('content-type')).toContain('application/json')
})
