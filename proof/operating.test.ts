import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestApp, type TestApp } from './testing/app.ts'
import { until } from './testing/until.ts'

// Alerts and the dashboard speak of metrics that a node serves, under these names.

const read = (file: string) =>
  readFileSync(join(import.meta.dirname, '../docs/operating', file), 'utf8')
const namesIn = (text: string) => new Set(text.match(/\bergon_[a-z0-9_]+/g))

let app: TestApp
let served: string
beforeAll(async () => {
  app = await openTestApp({ signer: true })
  await app.rooms.deposits.reconciling().reconcile()
  await app.newAccount()
  await app.call('POST', '/v1/buy', { key: 'none', body: {} })
  served = await until('every gauge', async () => {
    await app.rooms.providers.refresh()
    const { text } = await app.call('GET', '/metrics')
    return text.includes('ergon_provider_price_sun{') && text
  })
})
afterAll(() => app.close())

/** A series that has a value now. */
const hasValue = (name: string) => new RegExp(`^${name}(\\{.*\\})? \\S+$`, 'm').test(served)

test.each(['alerts.yml', 'dashboard.json'])('%s names only metrics that are served', (file) => {
  const names = [...namesIn(read(file))]
  expect(names.length).toBeGreaterThan(5)
  expect(names.filter((name) => !hasValue(name))).toEqual([])
})

test('there are thirty-seven rules, each with what it means and what to do', () => {
  const rules = read('alerts.yml').split('- alert: ').slice(1)
  expect(rules).toHaveLength(37)
  for (const rule of rules) {
    expect(rule).toMatch(/expr: .+\n {8}for: \d+m\n/)
    expect(rule).toMatch(/summary: ".+\."\n {10}remedy: ".+\."/)
  }
})

/** Kinds of stuck work whose rules use a metric that says more. */
const BY_OTHER_METRICS: Record<string, string> = {
  clock_skew: 'ergon_clock_skew_seconds',
  put_aside: 'ergon_put_aside',
  recovery: 'ergon_recovery',
  scanner_lag: 'ergon_scanner_lag_seconds',
  unproven: 'ergon_invariant_age_seconds',
}

test('every kind of stuck work has a rule', () => {
  const kinds = [...served.matchAll(/^ergon_stuck_work\{what="(\w+)"\}/gm)].map(([, kind]) => kind!)
  expect(kinds.length).toBeGreaterThan(12)
  const alerts = read('alerts.yml')
  const isCovered = (kind: string) =>
    alerts.includes(BY_OTHER_METRICS[kind] ?? `ergon_stuck_work{what="${kind}"}`)
  expect(kinds.filter((kind) => !isCovered(kind))).toEqual([])
})

test('pools, orders and the server are measured', () => {
  for (const pool of ['main', 'audit', 'waiting']) {
    expect(served).toMatch(
      new RegExp(`^ergon_pool_connections\\{pool="${pool}",state="waiting"\\} 0$`, 'm'),
    )
  }
  expect(served).toMatch(/^ergon_orders_recent\{result="completed"\} 0$/m)
  expect(served).toMatch(/^ergon_hot_wallet_trx \d+/m)
  expect(served).toMatch(/^ergon_archiver_failing 0$/m)
  expect(served).toMatch(/^ergon_standby_lag_seconds 0$/m)
})

test('the numbers are those of the first page', async () => {
  expect(served).toMatch(/^ergon_status_readable 1$/m)
  expect(served).toMatch(/^ergon_selling 1$/m)
  expect(served).toMatch(/^ergon_solvent 1$/m)
  expect(served).toMatch(/^ergon_stuck_work\{what="undecided"\} 0$/m)
  expect(served).toMatch(/^ergon_switch_enabled\{switch="signing"\} 1$/m)
  await app.rooms.orders.setSelling(false, 'a test')
  await until('selling is 0', async () => {
    const { text } = await app.call('GET', '/metrics')
    return /^ergon_selling 0$/m.test(text)
  })
})
