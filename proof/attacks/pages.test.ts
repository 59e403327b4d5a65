// Proves: pages.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { request as undici } from 'undici'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { openTestApp, type TestApp } from '../testing/app.ts'
import { buildPages } from '../testing/pages.ts'

// Frames around our pages, injected scripts, and paths that only look like pages.

let app: TestApp
let index: { text: string; headers: Headers; status: number }
beforeAll(async () => {
  buildPages()
  app = await openTestApp()
  index = await app.call('GET', '/overview')
})
afterAll(() => app.close())

const policyOf = (headers: Headers) =>
  new Map(
    headers
      .get('content-security-policy')!
      .split('; ')
      .map((part) => {
        const [name, ...sources] = part.split(' ')
        return [name!, sources.join(' ')]
      }),
  )

/** Every page on which people sign in, pay, or operate the service. */
const PAGES = [
  ...[
    '/',
    '/overview',
    '/sign-in',
    '/sign-up',
    '/confirm',
    '/forgot',
    '/reset',
    '/buy',
    '/orders',
    '/ledger',
    '/deposits',
  ],
  ...['/autoenergy', '/agent', '/webhooks', '/chat', '/keys', '/settings', '/security'],
  ...['/operator', '/operator/', '/operator/sign-in', '/operator/treasury', '/operator/audit'],
  '/pay/nobody',
]

test.each(PAGES)('%s cannot be put into a frame', async (path) => {
  const { headers } = await app.call('GET', path)
  expect(policyOf(headers).get('frame-ancestors')).toBe(`'none'`)
  expect(headers.get('x-frame-options')).toBe('DENY')
})

test.each(PAGES)('%s runs our own files: nothing inline, nothing from elsewhere', async (path) => {
  const { headers, text } = await app.call('GET', path)
  const policy = policyOf(headers)
  expect(policy.get('default-src')).toBe(`'none'`)
  expect(policy.get('script-src')).toBe(`'self'`)
  expect(policy.get('connect-src')).toBe(`'self'`)
  expect(policy.get('base-uri')).toBe(`'none'`)
  expect([...policy.values()].join(' ')).not.toMatch(/unsafe|\*|https?:/)
  expect(text).not.toMatch(/<script(?![^>]*\ssrc=)/)
  expect(text).not.toMatch(/\son\w+=/)
})

test.each([
  ['/overview', 200_000],
  ['/operator', 200_000],
  ['/', 15_000],
  ['/pay/nobody', 15_000],
])('a first visit of %s loads less than %i bytes', async (path, most) => {
  const { text } = await app.call('GET', path)
  const files = [...text.matchAll(/(?:src|href)="(\/[^"]+\.(?:js|css))"/g)].map(([, file]) => file!)
  expect(files.length).toBeGreaterThan(0)
  const sizes = files.map(async (file) => {
    // Node's own fetch would decompress it.
    const { body } = await undici(app.url + file, { headers: { 'accept-encoding': 'gzip' } })
    return (await body.arrayBuffer()).byteLength
  })
  const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
  expect(bytes).toBeGreaterThan(1_000)
  expect(bytes).toBeLessThan(most)
})

test('the nonce of styles is new for every answer, and nobody keeps the page', async () => {
  const nonceOf = (text: string) => /style-nonce" content="([^"]+)"/.exec(text)![1]!
  const again = await app.call('GET', '/overview')
  expect(nonceOf(again.text)).not.toBe(nonceOf(index.text))
  expect(policyOf(again.headers).get('style-src')).toContain(`'nonce-${nonceOf(again.text)}'`)
  expect(again.headers.get('cache-control')).toBe('no-store')
})

test('assets are packed and kept for ever, by names that change with them', async () => {
  const [, path] = /src="(\/assets\/[^"]+\.js)"/.exec(index.text)!
  expect(path).toMatch(/-[\w-]{8}\.js$/)
  const packed = await fetch(app.url + path, { headers: { 'accept-encoding': 'gzip' } })
  expect(packed.headers.get('content-encoding')).toBe('gzip')
  expect(packed.headers.get('cache-control')).toContain('immutable')
  const plain = await fetch(app.url + path, { headers: { 'accept-encoding': 'identity' } })
  expect(plain.headers.get('content-encoding')).toBe(null)
  expect(await packed.text()).toBe(await plain.text())
})

test.each([
  '/nothing',
  '/assets/',
  '/assets/../stamp',
  '/assets/%2e%2e%2fstamp',
  '/assets/..%2f..%2f..%2fpackage.json',
  '/stamp',
  '/.vite/manifest.json',
  '/index.html',
  '/v1/nothing',
  '/app/v1/nothing',
])('%s is no page and no file', async (path) => {
  const { status, text } = await app.call('GET', path)
  expect([status, text]).toEqual([404, '{"detail":"Not Found"}'])
})

test('a page answers GET and nothing else', async () => {
  const answer = await app.call('POST', '/buy', { body: {} })
  expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
})

test('while the node is silent the front comes all the same, and many visitors ask it once', async () => {
  const asked: string[] = []
  const silent = createServer(({ url }) => void asked.push(url!)).listen(0, '127.0.0.1')
  await new Promise((resolve) => silent.once('listening', resolve))
  const { port } = silent.address() as AddressInfo
  const alone = await openTestApp({ nodeUrls: [`http://127.0.0.1:${port}`] })
  onTestFinished(async () => {
    silent.closeAllConnections()
    silent.close()
    await alone.close()
  })
  const fronts = await Promise.all(Array.from({ length: 20 }, () => alone.call('GET', '/')))
  expect(fronts.map(({ status }) => status)).toEqual(fronts.map(() => 200))
  expect(fronts.filter(({ text }) => text.includes('Burning TRX instead'))).toEqual([])
  expect(asked.filter((url) => url === '/wallet/getchainparameters')).toHaveLength(1)
})
