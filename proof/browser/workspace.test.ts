// Proves: identity, orders, deposits, autoenergy, agent, webhooks, chat.
import { exactTrx, formatTrx } from '@ergon/contract/trx.ts'
import { toBase58 } from '@ergon/tron'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestApp, type TestApp } from '../testing/app.ts'
import { openBrowser, saveScreenshot, WIDTHS } from '../testing/browser.ts'
import { telegramOf } from '../testing/chat.ts'
import { buildPages, seriousFindings, sideways } from '../testing/pages.ts'
import { until } from '../testing/until.ts'
import { PASSWORD } from '../testing/visitor.ts'
import { openDevnet } from '../testing/world.ts'
import { wishForFive } from './buyOnce.ts'
import { coverMany } from './coverMany.ts'
import { expectFits, WORKSPACE_PAGES } from './fits.ts'
import { eventsOfChat, eventsOfWebhook } from './switched.ts'
import { load, newTab, tapTwice } from './tab.ts'

let app: TestApp
let browser: Browser
let context: BrowserContext
let tab: Page
let receiver: string
const complaints: string[] = []
const EMAIL = 'ada@example.com'

beforeAll(async () => {
  buildPages()
  const devnet = await openDevnet({ blockMs: 200 })
  app = await openTestApp({ signer: true, devnet, chat: telegramOf(devnet) })
  browser = await openBrowser()
  context = await browser.newContext({ reducedMotion: 'reduce' })
  tab = await newTab(context, complaints)
  receiver = toBase58(app.devnet.chain.network.funded[3]!.address)
})
afterAll(async () => {
  await browser?.close()
  await app?.close()
  await app?.devnet.close()
})

const open = (path: string) => load(tab, app.url + path)

test('from nobody to a delivered order, without reading anything', async () => {
  const page = await open('/overview')
  await page.waitForURL('**/sign-in**')
  await saveScreenshot(page, 'workspace-sign-in-1440-light')
  await page.getByRole('link', { name: 'Create an account' }).click()
  await page.getByLabel('E-mail').fill(EMAIL)
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.getByRole('link', { name: 'Choose a password' }).click()
  await page.locator('input[type=password]').fill(PASSWORD)
  await page.getByRole('button', { name: 'Open the account' }).click()
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  await page.getByText('No orders yet').waitFor()
  await page.getByRole('listitem').filter({ hasText: 'Top up (open)' }).waitFor()

  await page.getByRole('button', { name: 'Faucet: 100 TRX' }).click()
  await page.getByText('100 TRX').first().waitFor()

  await page.getByRole('main').getByRole('link', { name: 'Buy Energy' }).first().click()
  await page.getByPlaceholder('T…').fill(receiver)
  await page.getByText('This address can receive Energy.').waitFor()
  await tapTwice(page.getByRole('button', { name: /^Buy 65,000 Energy for .* TRX$/ }))
  await page.getByText(/Usable until \d\d:\d\d UTC/).waitFor()
  await page.getByText(/It has 65,\d{3} Energy now/).waitFor()
  await saveScreenshot(page, 'workspace-bought-1440-light')
  await page.getByRole('button', { name: 'New order' }).click()
  await page.getByRole('button', { name: /^Buy 65,000 Energy/ }).waitFor()
  await page.getByRole('link', { name: /^Order / }).click()
  await page.getByRole('dialog').getByText('Bought through').waitFor()
  await open('/overview')
  await page.getByText('1 completed').waitFor()
  await page.getByRole('listitem').filter({ hasText: 'Buy Energy (done)' }).waitFor()
  await page.getByRole('listitem').filter({ hasText: 'Add a webhook (open)' }).waitFor()
  await page.getByRole('button', { name: 'Hide' }).click()
  await page.getByText('First steps').waitFor({ state: 'detached' })
})

test('an order can be paid by a transfer instead, and follows its payment live', async () => {
  const page = await open('/buy')
  await page.getByPlaceholder('T…').fill(receiver)
  await tapTwice(page.getByRole('button', { name: 'Pay by transfer instead' }))
  await page.getByText('Send exactly').waitFor()
  const checkouts = await app.database.sql<{ amount: string }>(
    `select amount_sun as amount from orders.checkout`,
  )
  expect(checkouts).toHaveLength(1)
  const [checkout] = checkouts
  // After leaving, the same wish leads back to it.
  await page.getByRole('button', { name: 'Hide' }).click()
  await open('/buy')
  const waiting = page.getByRole('region', { name: 'Awaiting your payment' })
  await waiting.getByText('65,000 Energy for').waitFor()
  await page.getByPlaceholder('T…').fill(receiver)
  await page.getByRole('button', { name: 'Show the unpaid order' }).click()
  await page.getByText('the order ends by itself, and nothing is charged').waitFor()
  const orders = await load(await newTab(context, complaints), `${app.url}/orders`)
  await orders.getByText(exactTrx(formatTrx(BigInt(checkout!.amount))), { exact: true }).waitFor()
  await orders.close()
  const to = (await page.locator('.address.whole').first().getAttribute('title'))!
  const body = { to, amount_sun: Number(checkout!.amount) }
  await app.call('POST', '/sandbox/faucet', { body })
  await page.getByText('Usable until').waitFor()
})

test('price, chart and clock tell one hour, and follow when somebody moves the time', async () => {
  const page = await open('/buy')
  for (const ahead of [0, 1]) {
    if (ahead) await app.call('POST', '/sandbox/clock', { body: { advance_seconds: 3_600 } })
    const { now } = (await app.call('GET', '/sandbox/clock')).body as { now: string }
    const { schedule } = (await app.call('GET', '/v1/public/pricing')).body
    const price = schedule[new Date(now).getUTCHours()]
    await page.getByText(`${now.slice(0, 10)} ${now.slice(11, 13)}:`).waitFor()
    await page.getByRole('img', { name: `Now ${price},` }).waitFor()
    await page.getByText(`${price} SUN per Energy`).waitFor()
  }
})

test('a price is held for a minute; many addresses are bought for in one step', async () => {
  const page = await open('/buy')
  await page.getByRole('button', { name: 'Hold this price for a minute' }).click()
  await page.getByText(/TRX are held for you, \d+ s left/).waitFor()
  await page.getByText('Many addresses', { exact: true }).click()
  await page.getByRole('textbox', { name: 'Receivers' }).fill(`${receiver}\nnobody\n`)
  await page.getByRole('button', { name: /^Buy 130,000 Energy for 2 addresses: .* TRX$/ }).click()
  await page.getByText('0 of 2 bought').waitFor()
  await page.getByText('The receiver is not a TRON address').waitFor()
  await page.getByLabel('All of them or none').uncheck()
  await page.getByRole('button', { name: /^Buy 130,000/ }).click()
  await page.getByText('1 of 2 bought').waitFor()
  const left = page.getByRole('textbox', { name: 'Receivers' })
  expect(await left.inputValue()).toBe('nobody')
})

test('one wish is bought once: by two taps, and by a retry after a lost answer', async () => {
  const orders = async () => (await app.database.sql('select from orders.purchase_order')).length
  const before = await orders()
  await wishForFive(await open('/buy'), receiver)
  expect(await orders()).toBe(before + 5)
})

test('the button says why it cannot buy, and what to do', async () => {
  const page = await open('/buy')
  await page.getByPlaceholder('T…').fill(receiver)
  await page.getByRole('textbox', { name: 'Energy', exact: true }).fill('5000000')
  const button = page.getByRole('button', { name: /^Your balance is .* TRX short$/ })
  await button.waitFor()
  expect(await button.isDisabled()).toBe(true)
  await page.getByRole('main').getByRole('link', { name: 'Top up' }).waitFor()
})

test('a key is made, shown once, described, and revoked; its requests are listed', async () => {
  const page = await open('/keys')
  await page.getByRole('button', { name: 'New key' }).click()
  await page.getByLabel('Name').fill('till')
  await page.getByRole('button', { name: 'Create key' }).click()
  await page.getByText('It is shown this once').waitFor()
  const key = (await page.getByRole('dialog').locator('.address.whole').getAttribute('title'))!
  await page.getByRole('button', { name: 'I have copied it' }).click()
  await page.getByRole('button', { name: 'Edit till' }).click()
  await page.getByLabel('Note').fill('in the safe')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('in the safe').waitFor()
  await page.getByText('Never', { exact: true }).waitFor()
  await app.call('GET', '/v1/account', { key })
  await app.call('GET', '/v1/order/none', { key, headers: { 'x-request-id': 'the-second' } })
  await open('/requests')
  await page.getByText('GET /v1/account').waitFor()
  await page.getByLabel('Status').selectOption('4xx')
  await page.getByText('GET /v1/account').waitFor({ state: 'detached' })
  await page.getByText('GET /v1/order/{id}').click()
  const details = page.getByRole('dialog')
  await details.getByRole('link', { name: 'order_not_found' }).waitFor()
  await details.getByText('the-second', { exact: true }).waitFor()
  expect(page.url()).toContain('status=4xx')
  await open('/keys')
  await page.getByRole('button', { name: 'Revoke till' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  await page.getByText('No keys yet').waitFor()
})

test('a pay page is set up, a customer pays, and the sale shows up by itself', async () => {
  const page = await open('/deposits')
  const to = (await page.locator('.address.whole').first().getAttribute('title'))!
  await app.call('POST', '/sandbox/faucet', { body: { to, amount_sun: 200_000_000 } })
  await page.getByRole('cell', { name: '200', exact: true }).first().waitFor()
  await page.getByRole('link', { name: 'Agent' }).click()
  await page.getByRole('button', { name: 'New pay page' }).click()
  await page.getByLabel('Title').fill('Corner shop')
  await page.getByLabel('One payment, TRX').fill('3')
  await page.getByText('You keep at least').waitFor()
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  const card = page.getByRole('region', { name: 'Corner shop' })
  await card.getByRole('img', { name: 'QR code of the pay page' }).waitFor()
  const address = (await card.locator('dd .address').getAttribute('title'))!
  const from = toBase58(app.devnet.chain.network.funded[4]!.address)
  const payment = { from, to: address, amount_sun: 3_000_000 }
  await app.call('POST', '/sandbox/chain/transfer', { body: payment })
  await page.getByText('Completed').waitFor()
  await page.getByText('1 sale,').first().waitFor()
  await card.getByRole('button', { name: 'Edit' }).click()
  await page.getByLabel('Title').fill('Corner shop 2')
  await page.getByLabel('One payment, TRX').fill('4')
  await page.getByRole('button', { name: 'Save' }).click()
  const changed = page.getByRole('region', { name: 'Corner shop 2' })
  await changed.getByText('65,000 Energy for 4 TRX').waitFor()
  await page.getByRole('link', { name: 'Revenue by day' }).click()
  await page.getByText('margin of 1 sale').waitFor()
  await page.getByText('Nothing was skipped').waitFor()
})

test('an address is covered and let go again', async () => {
  const page = await open('/autoenergy')
  await page.getByRole('button', { name: 'Cover addresses' }).click()
  await page.getByRole('dialog').getByPlaceholder('T…').fill(receiver)
  await page.getByRole('button', { name: 'Cover it' }).click()
  await page.getByText('Active', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Close', exact: true }).click()
  await page.getByText('You closed it.').waitFor()
})

test('many addresses are covered at once, and those that were refused stay in the form', async () => {
  const another = toBase58(app.devnet.chain.network.funded[6]!.address)
  await coverMany(await open('/autoenergy'), another)
})

test('a webhook is created, chooses its events, and a delivery is sent again', async () => {
  const page = await open('/webhooks')
  await page.getByRole('button', { name: 'New webhook' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('till')
  await dialog.getByRole('button', { name: 'Use a receiver of the sandbox' }).click()
  await expect.poll(() => dialog.getByLabel('URL').inputValue()).toMatch(/^http/)
  const sink = (await dialog.getByLabel('URL').inputValue()).split('/').at(-1)!
  await dialog.getByRole('button', { name: 'Create webhook' }).click()
  await page.getByText('It is shown this once').waitFor()
  const secret = (await page.locator('.address.whole').getAttribute('title'))!
  expect(secret).toMatch(/^whsec_/)
  await page.getByRole('button', { name: 'I have copied it' }).click()

  const card = page.getByRole('region', { name: 'till', exact: true })
  await card.getByText(eventsOfWebhook(0)).click()
  await card.getByLabel('Every movement of the balance').press('Space')
  await card.getByText(eventsOfWebhook(1)).waitFor()

  await page.setViewportSize({ width: 390, height: 900 })
  await saveScreenshot(page, 'workspace-webhook-events-390-light')
  expect([await sideways(page), await seriousFindings(page)]).toEqual([0, []])

  const received = async () =>
    (await app.call('GET', `/sandbox/webhook-sink/${sink}`)).body.deliveries as unknown[]
  await card.getByRole('button', { name: 'Send a test' }).click()
  await card.getByText('The test arrived.').waitFor()
  await card.getByRole('button', { name: 'Send again: notification.test' }).first().click()
  await until('the same event again', async () => (await received()).length === 2)
  await card.getByText('2 of the last 2 arrived.').waitFor()

  await app.call('POST', `/sandbox/webhook-sink/${sink}`, { body: { answer: 500 } })
  await card.getByRole('button', { name: 'Send a test' }).click()
  await card.getByText('The test did not arrive. The log says why.').waitFor()
  await card.getByText('HTTP 500').click()
  const details = page.getByRole('dialog')
  await details.getByText('The receiver answered 500; only 2xx counts.').waitFor()
  await details.getByText('X-Service-Signature: v1=').waitFor()
  await details.getByLabel('Signing secret').fill('whsec_another')
  await details.getByRole('button', { name: 'Verify' }).click()
  await details.getByText('It does not match the header.').waitFor()
  await details.getByLabel('Signing secret').fill(secret)
  await details.getByRole('button', { name: 'Verify' }).click()
  await details.getByText('It matches the header').waitFor()
  await saveScreenshot(page, 'workspace-delivery-390-light')
  expect([await sideways(page), await seriousFindings(page)]).toEqual([0, []])
  await page.keyboard.press('Escape')
  await details.waitFor({ state: 'detached' })
  await card.getByRole('button', { name: 'Rotate secret' }).click()
  await page.getByRole('button', { name: 'Make a new secret' }).click()
  await page.getByText('It is shown this once').waitFor()
  await page.getByRole('button', { name: 'I have copied it' }).click()
})

test('a chat is linked through the stand-in, chooses its events, and is sent a test', async () => {
  const page = await open('/chat')
  await page.getByText('Notifications on your phone').waitFor()
  await page.getByRole('button', { name: 'Link a chat' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText(/^\/start /).waitFor()
  await saveScreenshot(page, 'workspace-chat-link-1440-light')
  expect(await seriousFindings(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Say it in the stand-in' }).click()
  await dialog.getByText('My phone now receives the news').waitFor()
  await dialog.getByRole('button', { name: 'Choose what it receives' }).click()

  const card = page.getByRole('region', { name: 'My phone' })
  await card.getByText(eventsOfChat(0)).click()
  await card.getByLabel('The balance falls below your threshold').press('Space')
  await card.getByText(eventsOfChat(1)).waitFor()
  await card.getByRole('button', { name: 'Send a test' }).click()
  const arrived = page.getByRole('log', { name: 'What our bot said' })
  await arrived.getByText('This is a test. This chat works.').waitFor()
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 })
    await saveScreenshot(page, `workspace-chat-linked-${width}-light`)
    expect([await sideways(page), await seriousFindings(page)]).toEqual([0, []])
  }
  await page.getByRole('button', { name: 'Unlink My phone' }).click()
  await dialog.getByRole('button', { name: 'Unlink' }).click()
  await page.getByText('Notifications on your phone').waitFor()
})

test('what needs somebody is on the overview, with its remedy', async () => {
  const reason = 'No delivery succeeded for 72 hours.'
  await app.database.sql(`update webhooks.endpoint set status = 'disabled', disabled_reason = $1`, [
    reason,
  ])
  const webhooks = await load(await newTab(context, complaints), `${app.url}/webhooks`)
  await webhooks.getByText(reason).waitFor()
  await saveScreenshot(webhooks, 'workspace-webhook-disabled-1440-light')
  expect(await seriousFindings(webhooks)).toEqual([])
  const page = await open('/overview')
  const needs = page.getByRole('region', { name: 'Needs attention' })
  await needs.getByText(reason).waitFor()
  await saveScreenshot(page, 'workspace-attention-1440-light')
  expect(await seriousFindings(page)).toEqual([])
  await needs.getByRole('button', { name: 'Enable again' }).click()
  await needs.getByText(reason).waitFor({ state: 'detached' })
  await webhooks.getByText('Active', { exact: true }).waitFor()
  await webhooks.close()
})

test('orders are narrowed to a state, with their sums, and the address keeps it', async () => {
  const page = await open('/orders')
  await page.getByLabel('Status').selectOption('COMPLETED')
  await page
    .getByText(/^\d+ orders; those completed have [\d,]+ Energy and cost .* TRX\.$/)
    .waitFor()
  await page.waitForURL('**/orders?status=COMPLETED')
  await page.reload()
  expect(await page.getByLabel('Status').inputValue()).toBe('COMPLETED')
  await page.getByLabel('Source').selectOption('agent')
  await page.getByLabel('To').fill('2020-01-01')
  await page.getByText('No order matches').waitFor()
  await page.getByRole('button', { name: 'Clear' }).click()
  await page.waitForURL('**/orders')
})

test('movements are narrowed to a kind, and the address keeps it', async () => {
  const page = await open('/ledger')
  await page.getByRole('button', { name: 'Deposit', exact: true }).click()
  await page.getByText(/^\d+ movements, together \+[\d.,]+ TRX\.$/).waitFor()
  expect(page.url()).toContain('type=deposit')
  await page.getByRole('button', { name: 'Deposit', pressed: true }).waitFor()
  await page.getByText('spent this month, less refunds').waitFor()
  await page.getByRole('link', { name: 'All movements' }).click()
  await page
    .getByRole('link', { name: /^Order / })
    .first()
    .click()
  await page.getByRole('dialog').getByText('Bought through').waitFor()
})

test('deposits are narrowed to days, and the address keeps it', async () => {
  const page = await open('/deposits?to=2020-01-01')
  await page.getByText('No deposit matches').waitFor()
  await page.getByRole('button', { name: 'Clear' }).click()
  await page.getByText(/^\d+ deposits, together [\d.,]+ TRX\.$/).waitFor()
})

test('a service that cannot be reached is told, until it answers again', async () => {
  const page = await open('/overview')
  await page.getByText('Spent in 14 days').waitFor()
  const told = page.getByText('The service cannot be reached.')
  await context.setOffline(true)
  await told.waitFor()
  await saveScreenshot(page, 'workspace-unreachable-1440-light')
  await context.setOffline(false)
  await told.waitFor({ state: 'detached' })
})

test('a row opens the order by keyboard, and Escape closes it', async () => {
  const page = await open('/orders')
  await page.getByRole('button', { name: 'Details' }).first().focus()
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').getByText('Bought through').waitFor()
  expect(page.url()).toContain('id=')
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
})

for (const [name, [path, title]] of Object.entries(WORKSPACE_PAGES)) {
  test(`${name}: fits both widths, in both themes, without a serious finding`, async () => {
    await expectFits(await open(path), `workspace-${name}`, title)
  })
}

test('no page broke its policy or complained', () => {
  expect(complaints).toEqual([])
})
