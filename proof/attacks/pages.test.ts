import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestHouse, type TestHouse } from '../testing/house.ts'
import { buildPages } from '../testing/pages.ts'

// Frames around our pages, scripts inside them, and paths that only look like pages.

let house: TestHouse
let index: { text: string; headers: Headers; status: number }
beforeAll(async () => {
  buildPages()
  house = await openTestHouse()
  index = await house.call('GET', '/')
})
afterAll(() => house.close())

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

test.each(['/', '/buy', '/sign-in', '/security'])('%s cannot be put into a frame', async (path) => {
  const { headers } = await house.call('GET', path)
  expect(policyOf(headers).get('frame-ancestors')).toBe(`'none'`)
  expect(headers.get('x-frame-options')).toBe('DENY')
})

test('no script runs but our own files: nothing inline, nothing evaluated, nothing from elsewhere', () => {
  const policy = policyOf(index.headers)
  expect(policy.get('default-src')).toBe(`'none'`)
  expect(policy.get('script-src')).toBe(`'self'`)
  expect(policy.get('connect-src')).toBe(`'self'`)
  expect(policy.get('base-uri')).toBe(`'none'`)
  expect([...policy.values()].join(' ')).not.toMatch(/unsafe|\*|https?:/)
  expect(index.text).not.toMatch(/<script(?![^>]*\ssrc=)/)
  expect(index.text).not.toMatch(/\son\w+=/)
})

test('the nonce of styles is new for every answer, and nobody keeps the page', async () => {
  const nonceOf = (text: string) => /style-nonce" content="([^"]+)"/.exec(text)![1]!
  const again = await house.call('GET', '/')
  expect(nonceOf(again.text)).not.toBe(nonceOf(index.text))
  expect(policyOf(again.headers).get('style-src')).toContain(`'nonce-${nonceOf(again.text)}'`)
  expect(again.headers.get('cache-control')).toBe('no-store')
})

test('assets are packed and kept for ever, by names that change with them', async () => {
  const [, path] = /src="(\/assets\/[^"]+\.js)"/.exec(index.text)!
  expect(path).toMatch(/-[\w-]{8}\.js$/)
  const packed = await fetch(house.url + path, { headers: { 'accept-encoding': 'gzip' } })
  expect(packed.headers.get('content-encoding')).toBe('gzip')
  expect(packed.headers.get('cache-control')).toContain('immutable')
  const plain = await fetch(house.url + path, { headers: { 'accept-encoding': 'identity' } })
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
  const { status, text } = await house.call('GET', path)
  expect([status, text]).toEqual([404, '{"detail":"Not Found"}'])
})

test('a page answers GET and nothing else', async () => {
  const answer = await house.call('POST', '/buy', { body: {} })
  expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
})
