// Proves: status, operator, http, pages.
import { COMPONENT_IDS } from '@ergon/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AgentConfig, type AgentMarket, openAgentMarket } from '../testing/agent.ts'
import { openOperator } from '../testing/operator.ts'
import { signUp, type Visitor } from '../testing/visitor.ts'

// What clients are told of the service: what operators write, and what was measured.

const why = 'a test of the status'
const DAY_SECONDS = 86_400
let market: AgentMarket
let ann: Visitor & { email: string }
let client: Visitor
let config: AgentConfig

beforeAll(async () => {
  market = await openAgentMarket()
  // The tests measure: each knows which minute it is.
  await market.rooms.publicStatus.measure.loop.stop()
  ann = await openOperator(market, 'ann@example.com', 'support')
  client = await signUp(market.url)
  config = await market.newConfig(await market.fundedAccount('200'))
})
afterAll(() => market.close())

const status = async () => (await market.call('GET', '/v1/public/status')).body
const html = async (path: string) => (await fetch(market.url + path)).text()
const payPage = () => html(`/pay/${config.public_id}`)
const told = async () => (await client.call('GET', '/announcements')).body.announcements
const nowMs = () => Date.now() + aheadMs
let aheadMs = 0
async function advance(seconds: number) {
  await market.advance(seconds)
  aheadMs += seconds * 1_000
}
const at = (seconds: number) => new Date(nowMs() + seconds * 1_000).toISOString()
const measure = async () => {
  await advance(60)
  return market.rooms.publicStatus.measure.measure()
}
const componentOf = async (id: string) =>
  (await status()).components.find((one: { id: string }) => one.id === id)

const words = {
  severity: 'info',
  title: 'A new plan',
  text: 'From Monday.',
  link: 'https://example.com/plan',
  from: null,
  until: null,
  components: [],
  places: ['workspace', 'pay', 'status'],
}
const announce = (changes: Record<string, unknown> = {}) =>
  ann.call('POST', '/announcements', { kind: 'announcement', ...words, why, ...changes })
const plan = (changes: Record<string, unknown> = {}) =>
  announce({
    kind: 'maintenance',
    title: 'A new database server',
    from: at(3_600),
    until: at(7_200),
    components: ['api', 'purchases'],
    ...changes,
  })
const newest = async () => (await ann.call('GET', '/announcements')).body.announcements[0]
const lastAction = async () => (await ann.call('GET', '/actions?limit=1')).body.actions[0]
const withdrawAll = async () => {
  for (const one of (await ann.call('GET', '/announcements')).body.announcements) {
    if (!['current', 'upcoming'].includes(one.state)) continue
    await ann.call('POST', `/announcements/${one.id}/withdrawal`, { why })
  }
}

test('before the first measurement nothing is claimed: no data, and not 100 %', async () => {
  const body = await status()
  expect(body).toMatchObject({ state: 'unknown', measured_at: null, stale: false, incidents: [] })
  expect(body.components.map(({ id }: { id: string }) => id)).toEqual(COMPONENT_IDS)
  for (const { uptime_bps, days } of body.components) {
    expect([uptime_bps, days.length]).toEqual([null, 90])
    expect(new Set(days.map(({ state }: { state: string }) => state))).toEqual(new Set(['no_data']))
  }
  expect(await html('/status')).toContain('Nothing was measured yet.')
})

test('an announcement appears and disappears by the clock, at its places', async () => {
  expect((await announce({ from: at(600), until: at(1_200) })).status).toBe(200)
  expect([await told(), (await status()).announcements]).toEqual([[], []])
  await advance(601)
  const [shown] = await told()
  expect(shown).toMatchObject({ title: 'A new plan', kind: 'announcement', in_progress: false })
  expect((await status()).announcements).toMatchObject([{ id: shown.id, text: 'From Monday.' }])
  expect(await payPage()).toContain('A new plan')
  expect(await html('/status')).toContain('https://example.com/plan')
  await advance(600)
  expect([await told(), (await status()).announcements]).toEqual([[], []])
  expect(await payPage()).not.toContain('A new plan')
  expect(await newest()).toMatchObject({ state: 'over', written_by: 'ann@example.com' })
})

test('one that is for pay pages alone is nowhere else', async () => {
  await announce({ title: 'For payers', places: ['pay'] })
  expect([await told(), (await status()).announcements]).toEqual([[], []])
  expect(await payPage()).toContain('For payers')
  await withdrawAll()
  expect(await payPage()).not.toContain('For payers')
})

test('an announcement is dismissed for the account, and for no other', async () => {
  await announce()
  const [{ id }] = await told()
  expect((await client.call('POST', `/announcements/${id}/dismissal`)).status).toBe(204)
  expect((await client.call('POST', `/announcements/${id}/dismissal`)).status).toBe(204)
  expect(await told()).toEqual([])
  const other = await signUp(market.url)
  expect((await other.call('GET', '/announcements')).body.announcements).toHaveLength(1)
  expect((await client.call('POST', '/announcements/nothing/dismissal')).status).toBe(404)
  const edited = { ...words, title: 'A better plan', why }
  expect((await ann.call('POST', `/announcements/${id}`, edited)).status).toBe(200)
  expect(await lastAction()).toMatchObject({
    who: 'ann@example.com',
    what: 'edit_announcement',
    change: { before: { title: 'A new plan' }, after: { title: 'A better plan' } },
  })
  expect((await status()).announcements[0].title).toBe('A better plan')
  await withdrawAll()
  expect((await ann.call('POST', `/announcements/${id}/end`, { why })).status).toBe(400)
})

test('maintenance is told before, is shown while it is, and cannot be hidden then', async () => {
  await measure()
  expect((await plan()).status).toBe(200)
  const [planned] = await told()
  expect(planned).toMatchObject({ in_progress: false, components: ['api', 'purchases'] })
  expect((await status()).maintenance).toMatchObject([{ id: planned.id, in_progress: false }])
  expect(await payPage()).toContain('Maintenance is planned from <time')
  expect((await client.call('POST', `/announcements/${planned.id}/dismissal`)).status).toBe(204)
  expect(await told()).toEqual([])

  await advance(3_600)
  expect(await told()).toMatchObject([{ id: planned.id, in_progress: true }])
  const refused = await client.call('POST', `/announcements/${planned.id}/dismissal`)
  expect([refused.status, refused.body.detail.error]).toEqual([400, 'validation_error'])
  expect(await payPage()).toContain('Maintenance is under way, until <time')
  expect(await status()).toMatchObject({ state: 'maintenance' })
  expect(await componentOf('api')).toMatchObject({ state: 'maintenance', since: planned.from })
  expect((await componentOf('webhooks')).state).toBe('operational')
  const before = await componentOf('api')
  await measure()
  const after = await componentOf('api')
  expect(after.days.at(-1).minutes).toBe(before.days.at(-1).minutes + 1)
  expect(after.uptime_bps).toBe(10_000)

  expect((await ann.call('POST', `/announcements/${planned.id}/end`, { why })).status).toBe(200)
  expect([await told(), (await status()).maintenance]).toEqual([[], []])
  expect((await status()).state).toBe('operational')
  expect(await payPage()).not.toContain('Maintenance')
})

test('an incident opens by itself when selling stops, and ends when it goes on', async () => {
  const admin = await openOperator(market, 'root@example.com')
  const turn = (enabled: boolean) => admin.call('POST', '/switches/selling', { enabled, why })
  await measure()
  expect((await componentOf('purchases')).state).toBe('operational')
  await turn(false)
  expect(await measure()).toBe(true)
  const [open] = (await status()).incidents
  expect(open).toMatchObject({
    title: 'No purchases are accepted',
    origin: 'automatic',
    impact: 'outage',
    components: ['purchases', 'agent'],
    ended_at: null,
    updates: [{ phase: 'investigating' }],
  })
  // What the operator wrote for the log is not told.
  expect(JSON.stringify(await status())).not.toContain(why)
  expect(await componentOf('purchases')).toMatchObject({ state: 'outage', since: open.began_at })
  expect((await status()).message).toContain('Purchases')
  expect(await html('/status')).toContain('No purchases are accepted')

  // A person explains it, and cannot end or withdraw it.
  const said = (phase: string) =>
    ann.call('POST', `/incidents/${open.id}/updates`, { phase, text: 'We know why.', why })
  expect((await said('identified')).status).toBe(200)
  expect((await said('resolved')).body.detail.message).toContain('ends by itself')
  expect((await ann.call('POST', `/incidents/${open.id}/withdrawal`, { why })).status).toBe(400)

  await turn(true)
  await measure()
  const [ended] = (await status()).incidents
  expect(ended.ended_at).not.toBeNull()
  expect(ended.updates.map(({ phase }: { phase: string }) => phase)).toEqual([
    'resolved',
    'identified',
    'investigating',
  ])
  expect((await status()).state).toBe('operational')
  const today = (await componentOf('purchases')).days.at(-1)
  expect(today.state).toBe('outage')
  expect(today.uptime_bps).toBeLessThan(10_000)

  // What comes back soon is the same incident; later it is another.
  await turn(false)
  await measure()
  expect((await status()).incidents.map(({ id }: { id: string }) => id)).toEqual([open.id])
  await turn(true)
  await measure()
  await advance(16 * 60)
  await turn(false)
  await measure()
  expect((await status()).incidents).toHaveLength(2)
  await turn(true)
  await measure()
})

test('trouble in planned maintenance opens no incident and costs no uptime', async () => {
  await market.rooms.webhooks.setSending(false, 'planned')
  const touches = { components: ['webhooks'], from: null, until: at(3_600) }
  expect((await plan(touches)).status).toBe(200)
  const before = await componentOf('webhooks')
  const known = (await status()).incidents.length
  await measure()
  expect((await status()).incidents).toHaveLength(known)
  expect((await componentOf('webhooks')).uptime_bps).toBe(before.uptime_bps)
  await withdrawAll()
  await measure()
  expect((await status()).incidents[0]).toMatchObject({ title: 'Webhooks are not sent' })
  await market.rooms.webhooks.setSending(true, null)
  await measure()
})

test('a person opens an incident, tells how it goes on, and ends it', async () => {
  const draft = { title: 'Wallets do not connect', impact: 'degraded', components: ['api'] }
  const open = (changes: Record<string, unknown> = {}) =>
    ann.call('POST', '/incidents', { ...draft, text: 'We look into it.', why, ...changes })
  expect((await open()).status).toBe(200)
  const [{ id }] = (await status()).incidents
  expect(await status()).toMatchObject({ state: 'degraded' })
  await measure()
  expect((await componentOf('api')).days.at(-1).state).toBe('degraded')
  const end = { phase: 'resolved', text: 'The provider has repaired it.', why }
  expect((await ann.call('POST', `/incidents/${id}/updates`, end)).status).toBe(200)
  expect((await status()).incidents.find((one: { id: string }) => one.id === id).ended_at).not.toBe(
    null,
  )
  expect((await status()).state).toBe('operational')

  await open({ title: 'A mistake' })
  const mistake = (await status()).incidents[0]
  await ann.call('POST', `/incidents/${mistake.id}/withdrawal`, { why })
  expect(JSON.stringify(await status())).not.toContain('A mistake')
  expect(await html('/status')).not.toContain('A mistake')
  for (const changes of [{ components: [] }, { components: ['x'] }, { title: ' ' }, { text: '' }]) {
    expect([changes, (await open(changes)).status]).toEqual([changes, 400])
  }
})

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
  expect((await newest()).state).not.toBe('current')
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

test('90 days roll by the clock, and older rows go', async () => {
  const days = () =>
    market.database.sql<{ day: string }>('select distinct day::text from status.day')
  const outage = (await componentOf('purchases')).days.find(
    ({ state }: { state: string }) => state === 'outage',
  )
  expect((await componentOf('purchases')).days.at(-1).date).toBe(at(0).slice(0, 10))
  await advance(89 * DAY_SECONDS)
  await measure()
  const shown = (await componentOf('purchases')).days
  expect(shown[0]).toEqual(outage)
  expect(shown.slice(1, -1).every(({ state }: { state: string }) => state === 'no_data')).toBe(true)
  expect(shown.at(-1)).toMatchObject({ state: 'operational', uptime_bps: 10_000 })
  await advance(DAY_SECONDS)
  await measure()
  const purchases = await componentOf('purchases')
  expect(purchases.days.map(({ date }: { date: string }) => date)).not.toContain(outage.date)
  expect(purchases.uptime_bps).toBe(10_000)
  expect((await status()).incidents).toEqual([])
  await market.rooms.housekeeping.runOnce()
  expect((await days()).map(({ day }) => day)).not.toContain(outage.date)
  expect(await days()).toHaveLength(2)
})

test('minutes in which the service did not run are an outage, as far as none was planned', async () => {
  await plan({ components: ['chain'], from: at(-3_600), until: at(7_200) })
  await advance(60)
  await market.database.sql(
    `update status.watch set real_at = clock_timestamp() - interval '30 minutes'`,
  )
  await market.rooms.publicStatus.measure.measure()
  const [incident] = (await status()).incidents
  expect(incident).toMatchObject({ title: 'The service did not run', impact: 'outage' })
  expect(incident.components).not.toContain('chain')
  expect(Date.parse(incident.ended_at) - Date.parse(incident.began_at)).toBeGreaterThan(1_790_000)
  const minutes = async (id: string) =>
    (
      await market.database.sql<{ sum: string }>(
        'select sum(outage) from status.day where component = $1',
        [id],
      )
    )[0]!.sum
  expect([await minutes('api'), await minutes('chain')]).toEqual(['30', '0'])
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

test('the answer and the page may be kept for seconds, by anybody, and read from any origin', async () => {
  const { headers } = await market.call('GET', '/v1/public/status')
  expect(headers.get('cache-control')).toBe('public, max-age=10')
  expect(headers.get('access-control-allow-origin')).toBe('*')
  const page = await fetch(`${market.url}/status`)
  expect(page.headers.get('content-security-policy')).toContain(`script-src 'self'`)
  expect((await page.text()).match(/<rect /g)).toHaveLength(90 * COMPONENT_IDS.length)
  expect(await html('/')).toContain('href="/status"')
})
