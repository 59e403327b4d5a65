// Proves: webhooks, agent.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AgentMarket, offer, openAgentMarket } from '../testing/agent.ts'
import type { TestAccount } from '../testing/app.ts'
import { buildPages } from '../testing/pages.ts'

// Names that clients choose appear on pages and in answers that others see. They must always come
// out as text.

const HOSTILE = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "'-alert(1)-'",
  '</title><svg onload=alert(1)>',
  '{{constructor.alert(1)}}',
  'javascript:alert(1)',
  '&lt;b&gt;&#60;i&#62;',
]

let market: AgentMarket
let shop: TestAccount
beforeAll(async () => {
  buildPages()
  market = await openAgentMarket()
  await market.settings({ max_configs: 1_000 })
  shop = await market.fundedAccount('500')
})
afterAll(() => market?.close())

test.each(HOSTILE)('a title of %s is text on the pay page', async (title) => {
  const { status, body } = await market.agent(shop, 'POST', '/configs', {
    mode: 'own',
    address: market.freshWallet(),
    ...offer,
    title,
  })
  // Names that are too long or contain forbidden characters are refused.
  if (status !== 201) return expect(status).toBe(422)
  const page = await market.call('GET', `/pay/${body.public_id}`)
  expect(page.status).toBe(200)
  expect(page.headers.get('content-type')).toMatch(/^text\/html/)
  expect(page.headers.get('content-security-policy')).toContain(`default-src 'none'`)
  expect(page.text).not.toContain('<script>alert')
  expect(page.text).not.toMatch(/<img[^>]*onerror|<svg[^>]*onload/)
  const markup = page.text.replaceAll(/&[#\w]+;/g, '')
  if (/[<>"]/.test(title)) expect(markup).not.toContain(title)
})

test.each(HOSTILE)(
  'a webhook called %s comes back as JSON that no browser takes for a page',
  async (name) => {
    const sink = await market.call('POST', '/sandbox/webhook-sink', { body: {} })
    const key = shop.api_key
    const made = await market.call('POST', '/v1/webhooks', {
      key,
      body: { name, url: sink.body.url },
    })
    if (made.status !== 201) return expect(made.status).toBe(422)
    const listed = await market.call('GET', '/v1/webhooks', { key })
    expect(listed.headers.get('content-type')).toMatch(/^application\/json/)
    expect(listed.headers.get('x-content-type-options')).toBe('nosniff')
    expect(listed.text).toContain(JSON.stringify(name).slice(1, -1))
    const path = `/v1/webhooks/${made.body.id}`
    expect((await market.call('DELETE', path, { key })).status).toBeLessThan(300)
  },
)

test.each(HOSTILE)('a receiver filter of %s is not repeated as markup', async (filter) => {
  const query = new URLSearchParams({ receiver_address: filter })
  const answer = await market.call('GET', `/v1/orders?${query}`, { key: shop.api_key })
  expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
})
