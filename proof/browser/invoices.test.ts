// Proves: account, identity, operator, pages.
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readTerms, type TermsText } from '../../service/identity/index.ts'
import { readSettings } from '../../service/kernel/index.ts'
import { openBrowser, saveScreenshot, WIDTHS } from '../testing/browser.ts'
import { type Market, openMarket } from '../testing/market.ts'
import { codeOfOperator, createOperator } from '../testing/operator.ts'
import { buildPages, seriousFindings, sideways } from '../testing/pages.ts'
import { until } from '../testing/until.ts'
import { accountOf, openVisitor, PASSWORD } from '../testing/visitor.ts'
import { load, newTab } from './tab.ts'

// A person accepts the terms, opens an account and reads an invoice; an operator sees both.

const OPERATOR = 'ann@example.com'
const EMAIL = 'reader@example.com'
const samples = readTerms(readSettings({}))
const asked = (version: string): TermsText[] =>
  samples.map((text) => ({ ...text, version, isSample: false }))
const issuer = {
  name: 'Ergon Trading Ltd',
  address: 'Harbour Street 1\n12345 Old Town',
  registration: 'HRB 4711',
  taxNumber: 'XX 123 456',
  email: 'invoices@example.com',
  note: 'Paid in advance; nothing is due.',
}
let market: Market
let browser: Browser
let client: Page
let desk: Page
const complaints: string[] = []
beforeAll(async () => {
  buildPages()
  market = await openMarket({ texts: asked('2026-11'), issuer })
  await createOperator(market, OPERATOR)
  browser = await openBrowser()
  const context = () => browser.newContext({ reducedMotion: 'reduce' })
  client = await newTab(await context(), complaints)
  desk = await newTab(await context(), complaints)
})
afterAll(async () => {
  await browser?.close()
  await market?.close()
  expect(complaints).toEqual([])
})

async function look(page: Page, name: string) {
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 })
    await saveScreenshot(page, `${name}-${width}-light`)
    expect([name, width, await sideways(page)]).toEqual([name, width, 0])
  }
  expect(await seriousFindings(page)).toEqual([])
  await page.setViewportSize({ width: 1440, height: 900 })
}

test('nobody signs up by the page without the tick', async () => {
  await load(client, `${market.url}/sign-up`)
  await client.getByLabel('E-mail').fill(EMAIL)
  const create = client.getByRole('button', { name: 'Create account' })
  await create.click()
  expect(await client.getByRole('heading', { name: 'One more step' }).isVisible()).toBe(false)
  await look(client, 'sign-up-terms')
  await client.getByRole('checkbox').check()
  await create.click()
  await client.getByRole('link', { name: 'Choose a password' }).click()
  await client.getByText('By opening the account you accept').waitFor()
  await client.locator('input[type=password]').fill(PASSWORD)
  await client.getByRole('button', { name: 'Open the account' }).click()
  await client.getByRole('heading', { name: 'Overview' }).waitFor()
  expect(await client.getByText('There is something to read').count()).toBe(0)
})

test('the texts are pages for everybody', async () => {
  for (const name of ['terms', 'privacy']) {
    await load(client, `${market.url}/${name}`)
    await client.getByText('Version 2026-11').waitFor()
    await look(client, `text-${name}`)
  }
})

test('a client writes its particulars and reads, prints and keeps its invoices', async () => {
  const visitor = openVisitor(market.url)
  await visitor.call('POST', '/session/sign-in', { email: EMAIL, password: PASSWORD })
  const own = await accountOf(market, visitor)
  market.devnet.chain.mine()
  await until('the deposit', async () => (await market.balanceSun(own)) > 0n)
  const { order_id } = (await market.buy(own)).body
  await until('the order', async () => {
    await market.mineWhenRead()
    return (await market.get(own, `/order/${order_id}`)).body.status === 'COMPLETED'
  })
  await load(client, `${market.url}/settings`)
  await client.getByLabel('Name').fill('Client & Sons')
  await client.getByLabel('Address').fill('Hill 7\nNew Town')
  await client.getByLabel('Tax number').fill('YY 99')
  await client.getByRole('button', { name: 'Save particulars' }).click()
  await client.getByText('Saved.').waitFor()
  await look(client, 'settings-particulars')
  const at = new Date((await market.call('GET', '/sandbox/clock')).body.now)
  const end = Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1)
  await market.advance(Math.ceil((end - at.getTime()) / 1_000) + 660)
  await load(client, `${market.url}/invoices`)
  await client.getByText('INV-000001').waitFor()
  await look(client, 'workspace-invoices')
  const month = at.toISOString().slice(0, 7)
  await load(client, `${market.url}/app/v1/invoices/${month}/page`)
  await client.getByRole('heading', { name: 'Invoice INV-000001' }).waitFor()
  await client.getByText('Client & Sons').waitFor()
  await look(client, 'invoice')
})

test('an operator sees invoices and what was accepted on the page of the client', async () => {
  await load(desk, `${market.url}/operator`)
  await desk.waitForURL('**/operator/sign-in')
  await desk.getByRole('textbox', { name: 'E-mail' }).fill(OPERATOR)
  await desk.getByRole('textbox', { name: 'Password' }).fill(PASSWORD)
  await desk.getByRole('button', { name: 'Sign in' }).click()
  await desk
    .getByLabel('Code of your authenticator app')
    .fill(await codeOfOperator(market, OPERATOR))
  await desk.getByRole('button', { name: 'Sign in' }).click()
  await desk.getByRole('heading', { name: 'Status' }).waitFor()
  const [found] = await market.rooms.accounts.search(EMAIL, undefined, 1)
  await load(desk, `${market.url}/operator/accounts?id=${found!.id}`)
  await desk.getByText('INV-000001').waitFor()
  await desk.getByText('Privacy notice').waitFor()
  await desk.getByText('INV-000001').scrollIntoViewIfNeeded()
  await look(desk, 'console-account-invoices')
})

test('a new version is asked for on every page until it is accepted', async () => {
  const { texts } = market.rooms.terms
  // As after a start with other files.
  const later = asked('2027-01')
  texts.forEach((text, at) => {
    Object.assign(text, later[at])
  })
  await market.rooms.terms.publish()
  await load(client, `${market.url}/orders`)
  await client.getByText('There is something to read').waitFor()
  await look(client, 'workspace-new-terms')
  await client.getByRole('button', { name: 'I have read and accept them' }).click()
  await client.getByText('There is something to read').waitFor({ state: 'detached' })
})
