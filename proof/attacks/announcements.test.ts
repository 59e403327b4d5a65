// Proves: status, operator, pages.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AgentConfig, type AgentMarket, openAgentMarket } from '../testing/agent.ts'
import { announcing, words } from '../testing/announcing.ts'
import { openOperator } from '../testing/operator.ts'
import { signUp, type Visitor } from '../testing/visitor.ts'

// What an operator's account in wrong hands, or a slip, could do to those who read announcements.

const why = 'an attack'
const DAY_SECONDS = 86_400
let market: AgentMarket
let ann: Visitor & { email: string }
let client: Visitor
let config: AgentConfig
let talk: ReturnType<typeof announcing>

beforeAll(async () => {
  market = await openAgentMarket()
  ann = await openOperator(market, 'ann@example.com', 'support')
  client = await signUp(market.url)
  config = await market.newConfig(await market.fundedAccount('200'))
  talk = announcing(market, () => ann)
})
afterAll(() => market.close())

const status = () => talk.status()
const html = (path: string) => talk.html(path)
const at = (seconds: number) => talk.at(seconds)
const announce = (changes?: Record<string, unknown>) => talk.announce(changes)
const plan = (changes?: Record<string, unknown>) => talk.plan(changes)
const newest = () => talk.newest()
const withdrawAll = () => talk.withdrawAll()
const payPage = () => html(`/pay/${config.public_id}`)
const told = async () => (await client.call('GET', '/announcements')).body.announcements

test('texts are text: markup is shown as it was written, at every place', async () => {
  const evil = '<script>alert(1)</script><img src=x onerror=alert(2)>&"\''
  const text = `${evil}\n\n</p></section>${evil}`
  expect((await announce({ title: evil, text })).status).toBe(200)
  const incident = { title: evil, impact: 'degraded', components: ['chain'], text, why }
  await ann.call('POST', '/incidents', incident)
  expect((await told())[0]).toMatchObject({ title: evil, text })
  for (const page of [await html('/status'), await payPage()]) {
    expect(page).toContain('&#60;script&#62;alert(1)')
    expect(page).not.toContain('<script>alert')
    expect(page).not.toContain('<img src=x')
  }
  const [{ id }] = (await status()).incidents
  await ann.call('POST', `/incidents/${id}/withdrawal`, { why })
  await withdrawAll()
})

test('what cannot be shown is refused with a sentence', async () => {
  const year = 366 * DAY_SECONDS
  const wrong: [string, Record<string, unknown>][] = [
    ['title', { title: ' ' }],
    ['title', { title: 'x'.repeat(121) }],
    ['one line', { title: 'a\nb' }],
    ['one line', { title: 'a\u202eb' }],
    ['2000', { text: 'x'.repeat(2_001) }],
    ['shown', { text: 'a\u0007' }],
    ['https', { link: 'javascript:alert(1)' }],
    ['https', { link: 'http://example.com' }],
    ['https', { link: 'https://a:b@example.com' }],
    ['https', { link: `https://example.com/${'x'.repeat(300)}` }],
    ['zone', { from: '2026-11-20T02:00:00' }],
    ['zone', { from: 'tomorrow' }],
    ['zone', { until: '9999-99-99T99:99:99Z' }],
    ['within a year', { from: at(year + 60) }],
    ['at most a day ago', { from: at(-2 * DAY_SECONDS) }],
    ['already over', { from: at(-7_200), until: at(-3_600) }],
    ['after it begins', { from: at(7_200), until: at(3_600) }],
    ['at most a year', { from: at(3_600), until: at(year + 7_200) }],
    ['where it is shown', { places: [] }],
    ['where it is shown', { places: ['moon'] }],
    ['Only maintenance', { components: ['api'] }],
  ]
  for (const [sentence, changes] of wrong) {
    const { status: code, body } = await announce(changes)
    expect([changes, code, body.detail.message]).toEqual([
      changes,
      400,
      expect.stringContaining(sentence),
    ])
  }
  expect((await announce({ text: 'x'.repeat(20_001) })).status).toBe(422)
  for (const changes of [
    { until: null },
    { components: [] },
    { components: ['moon'] },
    { from: at(60), until: at(8 * DAY_SECONDS) },
  ]) {
    expect([changes, (await plan(changes)).status]).toEqual([changes, 400])
  }
  expect(await talk.listed()).toHaveLength(1)
})

test('two windows of one component do not overlap, also when both are written at once', async () => {
  const both = await Promise.all([plan({ title: 'One' }), plan({ title: 'Two' })])
  expect(both.map((answer) => answer.status).sort()).toEqual([200, 400])
  const refused = both.find((answer) => answer.status === 400)!
  expect(refused.body.detail.message).toMatch(/same component at that time: "(One|Two)"/)
  expect((await plan({ components: ['webhooks'] })).status).toBe(200)
  expect((await plan({ from: at(7_300), until: at(7_400) })).status).toBe(200)
  const [third] = (await ann.call('GET', '/announcements')).body.announcements
  const earlier = { ...words, components: ['api'], from: at(3_700), until: at(7_400), why }
  expect((await ann.call('POST', `/announcements/${third.id}`, earlier)).status).toBe(400)
  await withdrawAll()
})

test('at most 20 are shown or planned at a time', async () => {
  for (let nth = 0; nth < 20; nth += 1) await announce({ title: `Nth ${nth}`, places: ['pay'] })
  expect((await announce()).body.detail.message).toContain('At most 20')
  await withdrawAll()
})

test('support tells clients, a viewer reads it', async () => {
  const eve = await openOperator(market, 'eve@example.com', 'viewer')
  expect((await eve.call('GET', '/announcements')).status).toBe(200)
  expect((await eve.call('GET', '/incidents')).status).toBe(200)
  const id = (await newest()).id
  const changes: [string, Record<string, unknown>][] = [
    ['/announcements', { kind: 'announcement', ...words }],
    [`/announcements/${id}`, words],
    [`/announcements/${id}/end`, {}],
    [`/announcements/${id}/withdrawal`, {}],
    ['/incidents', { title: 'x', impact: 'outage', components: ['api'], text: 'x' }],
    [`/incidents/${id}/updates`, { phase: 'monitoring', text: 'x' }],
    [`/incidents/${id}/withdrawal`, {}],
  ]
  for (const [path, body] of changes) {
    expect([path, (await eve.call('POST', path, { ...body, why })).status]).toEqual([path, 403])
  }
  for (const path of ['/announcements/nothing/end', '/incidents/nothing/withdrawal']) {
    expect([path, (await ann.call('POST', path, { why })).status]).toEqual([path, 404])
  }
})
