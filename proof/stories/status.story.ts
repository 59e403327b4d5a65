// Proves: status, operator, http, pages.
import { COMPONENT_IDS } from '@ergon/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AgentConfig, type AgentMarket, openAgentMarket } from '../testing/agent.ts'
import { announcing, words } from '../testing/announcing.ts'
import { openOperator } from '../testing/operator.ts'
import { signUp, type Visitor } from '../testing/visitor.ts'

// What clients are told of the service: what operators write, and what was measured.

const why = 'a test of the status'
const DAY_SECONDS = 86_400
let market: AgentMarket
let ann: Visitor & { email: string }
let client: Visitor
let config: AgentConfig
let talk: ReturnType<typeof announcing>

beforeAll(async () => {
  market = await openAgentMarket()
  // The tests measure: each knows which minute it is.
  await market.rooms.publicStatus.measure.loop.stop()
  ann = await openOperator(market, 'ann@example.com', 'support')
  client = await signUp(market.url)
  config = await market.newConfig(await market.fundedAccount('200'))
  talk = announcing(market, () => ann)
})
afterAll(() => market.close())

const status = () => talk.status()
const html = (path: string) => talk.html(path)
const at = (seconds: number) => talk.at(seconds)
const advance = (seconds: number) => talk.advance(seconds)
const announce = (changes?: Record<string, unknown>) => talk.announce(changes)
const plan = (changes?: Record<string, unknown>) => talk.plan(changes)
const newest = () => talk.newest()
const withdrawAll = () => talk.withdrawAll()
const payPage = () => html(`/pay/${config.public_id}`)
const told = async () => (await client.call('GET', '/announcements')).body.announcements
const measure = async () => {
  await advance(60)
  return market.rooms.publicStatus.measure.measure()
}
const componentOf = async (id: string) =>
  (await status()).components.find((one: { id: string }) => one.id === id)
const lastAction = async () => (await ann.call('GET', '/actions?limit=1')).body.actions[0]

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

test('the answer and the page may be kept for seconds, by anybody, and read from any origin', async () => {
  const { headers } = await market.call('GET', '/v1/public/status')
  expect(headers.get('cache-control')).toBe('public, max-age=10')
  expect(headers.get('access-control-allow-origin')).toBe('*')
  const page = await fetch(`${market.url}/status`)
  expect(page.headers.get('content-security-policy')).toContain(`script-src 'self'`)
  expect((await page.text()).match(/<rect /g)).toHaveLength(90 * COMPONENT_IDS.length)
  expect(await html('/')).toContain('href="/status"')
})
