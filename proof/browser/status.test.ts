// Proves: pages, status, operator.
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { AgentConfig, AgentMarket } from '../testing/agent.ts'
import { openAgentMarket } from '../testing/agent.ts'
import { openBrowser, saveScreenshot, WIDTHS } from '../testing/browser.ts'
import { codeOfOperator, createOperator } from '../testing/operator.ts'
import { buildPages, seriousFindings, sideways } from '../testing/pages.ts'
import { until } from '../testing/until.ts'
import { PASSWORD, signUpWithoutLetter } from '../testing/visitor.ts'
import { load, newTab } from './tab.ts'

// What an operator announces at the console, and where people read it: workspace, pay page, status page.

const OPERATOR = 'ann@example.com'
const ZONE = 'Asia/Tokyo'
const complaints: string[] = []
let market: AgentMarket
let browser: Browser
let desk: Page
let client: Page
let stranger: Page
let config: AgentConfig
let email: string

beforeAll(async () => {
  buildPages()
  market = await openAgentMarket()
  await market.rooms.publicStatus.measure.loop.stop()
  config = await market.newConfig(await market.fundedAccount('200'))
  await createOperator(market, OPERATOR, 'support')
  email = (await signUpWithoutLetter(market)).email
  browser = await openBrowser()
  const tab = async () =>
    newTab(await browser.newContext({ reducedMotion: 'reduce', timezoneId: ZONE }), complaints)
  ;[desk, client, stranger] = await Promise.all([tab(), tab(), tab()])
})
afterAll(async () => {
  await browser?.close()
  await market?.close()
  expect(complaints).toEqual([])
})

/** A browser keeps the status page for ten seconds, and the service what it says for five. */
async function statusWith(shown: Locator) {
  await load(stranger, `${market.url}/status`)
  await until('the status page says so', async () => {
    if ((await shown.count()) > 0) return true
    await stranger.reload()
    return false
  })
  await shown.waitFor()
}

/** At both widths, in both themes: whole and without a serious finding. */
async function look(page: Page, name: string) {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 })
      await saveScreenshot(page, `${name}-${width}-${colorScheme}`)
      expect([name, width, await sideways(page)]).toEqual([name, width, 0])
    }
    expect([name, colorScheme, await seriousFindings(page)]).toEqual([name, colorScheme, []])
  }
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.emulateMedia({ colorScheme: 'light' })
}

async function confirm(name: string, why: string) {
  const asks = desk.getByRole('dialog').filter({ has: desk.locator('form') })
  await asks.getByLabel('Why').fill(why)
  await asks.getByRole('button', { name, exact: true }).last().click()
  await asks.getByLabel('Why').waitFor({ state: 'detached' })
}

/** A field of the console for a time takes the operator's zone. */
const localIn = (minutes: number) => {
  const at = new Date(Date.now() + minutes * 60_000 + 9 * 3_600_000)
  return at.toISOString().slice(0, 16)
}

/** 80 days of minutes, with an outage, a slow day and planned maintenance. */
async function fillDays() {
  await market.database.sql(
    `insert into status.day (day, component, operational, degraded, outage, maintenance)
     select (now() at time zone 'UTC')::date - d, c,
            case when d = 0 then 600 else 1440 end - case when d = 12 then 45 when d = 30 then 90 when d = 50 then 120 else 0 end,
            case when d = 30 then 90 else 0 end,
            case when d = 12 and c in ('purchases', 'agent') then 45 else 0 end,
            case when d = 50 then 120 else 0 end
       from generate_series(0, 79) d,
            unnest(array['api', 'purchases', 'delivery', 'autoenergy', 'agent', 'webhooks', 'chain']) c`,
  )
}

test('strangers see the state, 90 days and incidents, also without JavaScript', async () => {
  await load(stranger, `${market.url}/status`)
  await stranger.getByRole('heading', { name: 'Nothing was measured yet.' }).waitFor()
  await look(stranger, 'status-empty')
  await fillDays()
  await market.rooms.publicStatus.measure.measure()
  await statusWith(stranger.getByRole('heading', { name: 'Everything works.' }))
  const purchases = stranger.getByRole('article', { name: 'Purchases' })
  const [told] = await purchases.getByRole('img').all()
  const label = await told!.getAttribute('aria-label')
  expect(label).toMatch(/^The last 90 days: 99\.\d\d % up\. Days with trouble: 2\. .*outage/)
  expect(label).toContain('Days without data: 10.')
  await look(stranger, 'status-good')
  const plain = await browser.newContext({ javaScriptEnabled: false })
  const page = await plain.newPage()
  await page.goto(`${market.url}/status`)
  await page.getByRole('heading', { name: 'Everything works.' }).waitFor()
  expect(await page.locator('time').first().textContent()).toContain('UTC')
  await plain.close()
  expect(await stranger.locator('time').first().textContent()).toContain('UTC+9')
})

test('an operator of support announces at the console', async () => {
  await load(desk, `${market.url}/operator`)
  await desk.waitForURL('**/operator/sign-in')
  await desk.getByRole('textbox', { name: 'E-mail' }).fill(OPERATOR)
  await desk.getByRole('textbox', { name: 'Password' }).fill(PASSWORD)
  await desk.getByRole('button', { name: 'Sign in' }).click()
  const code = await codeOfOperator(market, OPERATOR)
  await desk.getByLabel('Code of your authenticator app').fill(code)
  await desk.getByRole('button', { name: 'Sign in' }).click()
  await desk.getByRole('heading', { name: 'Status' }).waitFor()
  await desk.getByRole('link', { name: 'Announcements' }).click()
  await desk.getByText('Nothing was announced yet').waitFor()
  await desk.getByLabel('Title').fill('Own stake <b>doubled</b>')
  await desk.getByLabel('Text', { exact: true }).fill('Large orders go through.\n\nThanks.')
  await desk.getByLabel('Link').fill('https://example.com/news')
  await desk.getByLabel('Pay pages', { exact: true }).check()
  await desk.getByRole('button', { name: 'Announce' }).click()
  await confirm('Announce', 'told by the boss')
  await desk.getByRole('article', { name: 'Own stake' }).waitFor()

  await desk.getByLabel('Kind').selectOption('maintenance')
  await desk.getByLabel('Title').fill('A new database server')
  await desk.getByLabel('Text', { exact: true }).fill('Purchases may wait for some minutes.')
  await desk.getByLabel('From, UTC+9').fill(localIn(60))
  await desk.getByLabel('Until, UTC+9').fill(localIn(120))
  await desk.getByLabel('Purchases', { exact: true }).first().check()
  await desk.getByLabel('Pay pages', { exact: true }).check()
  await desk.getByRole('button', { name: 'Announce' }).click()
  await confirm('Announce', 'planned on Monday')
  await desk.getByRole('article', { name: 'A new database server' }).waitFor()

  await desk.getByLabel('What is wrong').fill('Wallets do not connect')
  await desk.getByLabel('API and workspace', { exact: true }).last().check()
  await desk.getByLabel('What clients read').fill('We look into it.')
  await desk.getByRole('button', { name: 'Open incident' }).click()
  await confirm('Open incident', 'three tickets')
  await desk.getByRole('article', { name: 'Wallets do not connect' }).waitFor()
  await look(desk, 'console-announcements')
})

test('a client reads it in the workspace, and hides what is no maintenance under way', async () => {
  await load(client, `${market.url}/sign-in`)
  await client.getByLabel('E-mail').fill(email)
  await client.locator('input[type=password]').fill(PASSWORD)
  await client.getByRole('button', { name: 'Sign in', exact: true }).click()
  await client.getByRole('heading', { name: 'Overview' }).waitFor()
  await client.getByText('Own stake <b>doubled</b>').waitFor()
  await client.getByText('Maintenance is planned').waitFor()
  await look(client, 'workspace-announcements')
  await client.getByRole('button', { name: 'Hide: Own stake <b>doubled</b>' }).click()
  await client.getByText('Own stake <b>doubled</b>').waitFor({ state: 'detached' })
  await client.reload()
  await client.getByText('Maintenance is planned').waitFor()
  expect(await client.getByText('Own stake <b>doubled</b>').count()).toBe(0)
  await client.getByRole('button', { name: 'Account' }).click()
  const link = client.getByRole('link', { name: /status$/ })
  expect(await link.getAttribute('href')).toBe('/status')
})

test('whoever pays, and strangers, see what is planned, and what is under way', async () => {
  const pay = `${market.url}/pay/${config.public_id}`
  await load(stranger, pay)
  await stranger.getByText('Maintenance is planned from').waitFor()
  await look(stranger, 'pay-planned')
  await statusWith(stranger.getByRole('heading', { name: 'A new database server' }))
  await look(stranger, 'status-trouble')
  await market.advance(3_700)
  await load(stranger, pay)
  await stranger.getByText('Maintenance is under way, until').waitFor()
  await look(stranger, 'pay-under-way')
  await load(stranger, `${pay}?lang=zh`)
  await stranger.getByText('系统维护进行中').waitFor()
  await statusWith(stranger.getByText('Maintenance under way'))
  await look(stranger, 'status-maintenance')
  await client.reload()
  await client.getByText('Maintenance is under way').waitFor()
  expect(await client.getByRole('button', { name: /^Hide: / }).count()).toBe(0)
})
