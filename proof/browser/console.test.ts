// Proves: operator, identity.
import { createOTP } from '@better-auth/utils/otp'
import { toBase58 } from '@ergon/tron'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createOperators } from '../../service/identity/index.ts'
import { systemRandom } from '../../service/kernel/index.ts'
import { openTestApp, type TestAccount, type TestApp } from '../testing/app.ts'
import { FIRST, SECOND } from '../testing/approvals.ts'
import { openBrowser, saveScreenshot } from '../testing/browser.ts'
import { type FakeMarketplace, fakeMarketplace } from '../testing/fakeMarketplace.ts'
import { type Market, openMarket } from '../testing/market.ts'
import { createOperator } from '../testing/operator.ts'
import { fromBase32 } from '../testing/otp.ts'
import { buildPages, seriousFindings } from '../testing/pages.ts'
import { until } from '../testing/until.ts'
import { PASSWORD } from '../testing/visitor.ts'
import { openDevnet } from '../testing/world.ts'
import { expectFits } from './fits.ts'
import { bringKey, confirm, showCode, signInAt } from './operatorTab.ts'
import { load, newTab } from './tab.ts'

// What operators do all day, through the pages they do it on.

let market: Market
let second: TestApp
let fake: FakeMarketplace
let browser: Browser
let tab: Page
let client: TestAccount
let config: { id: string }
let closeDevnet: () => Promise<void>
const complaints: string[] = []
const EMAIL = 'ann@example.com'

beforeAll(async () => {
  buildPages()
  const devnet = await openDevnet({ blockMs: 200 })
  closeDevnet = () => devnet.close()
  fake = fakeMarketplace(devnet, { name: 'bazaar', key: 9 })
  market = await openMarket({ devnet, marketplaces: [fake] })
  second = await openTestApp({ database: market.database, devnet, role: 'api' })
  await createOperator(market, EMAIL)
  client = await market.fundedAccount('1000')
  await market.rooms.deposits.reconciling().reconcile()
  const body = {
    mode: 'generated',
    title: 'Corner shop',
    energy_per_unit: 65_000,
    base_payment_sun: 3_000_000,
    max_units: 1,
  }
  config = (await market.call('POST', '/v1/agent/configs', { key: client.api_key, body })).body
  browser = await openBrowser()
  const context = await browser.newContext({ reducedMotion: 'reduce' })
  tab = await newTab(context, complaints)
})
afterAll(async () => {
  await browser?.close()
  await second?.close()
  await market?.close()
  await closeDevnet?.()
})

const open = (path: string) => load(tab, `${market.url}/operator${path}`)

const signIn = (page: Page, email: string, secondStep?: () => Promise<void>) =>
  signInAt(market, page, email, secondStep)

test('an operator signs in and has the three answers in sight', async () => {
  const page = tab
  await page.goto(`${market.url}/operator/sign-in`)
  await page.getByRole('heading', { name: 'Sign in to the console' }).waitFor()
  const bytes = (await page.evaluate(
    `performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('.js')).reduce((all, { transferSize }) => all + transferSize, 0)`,
  )) as number
  // Only its own script: the console is loaded by those who have signed in.
  expect(bytes).toBeLessThan(10_000)
  await saveScreenshot(page, 'console-sign-in-1440-light')
  expect(await seriousFindings(page)).toEqual([])
  await signIn(page, EMAIL)
  await page.getByText('Selling; 65,000 Energy leave').waitFor()
  await page.getByText('TRX more than we owe.').waitFor()
  await page.getByText('Nothing is stuck.').waitFor()
})

test('an admin pause is seen by the client as `admin`', async () => {
  const page = await open('/agents')
  await page.getByRole('button', { name: 'Pause Corner shop' }).click()
  await confirm(page, 'Pause', 'reported by customers')
  await page.getByRole('button', { name: 'Release Corner shop' }).waitFor()
  const seen = await market.get(client, '/agent/configs')
  expect(seen.body.items).toMatchObject([
    { id: config.id, status: 'paused', pause_reason: 'admin' },
  ])
})

test('an undecided outcome is resolved, and the ledger says what it cost', async () => {
  Object.assign(fake, { behaviour: 'unsure', unitPrice: 10n, capacity: 4_000_000n, minimum: 0n })
  await market.rooms.providers.refresh()
  const receiver_address = toBase58(market.devnet.chain.network.funded[3]!.address)
  await market.buy(client, { body: { receiver_address } })
  const { undecided } = market.rooms.delivery
  await until('an undecided outcome', async () => (await undecided.list()).length > 0)
  const page = await open('/undecided')
  await page.getByText('Its order is open').waitFor()
  await market.advance(125)
  const button = page.getByRole('button', { name: 'It was delivered' })
  await until('it can be decided', () => button.isEnabled())
  await saveScreenshot(page, 'console-undecided-open-1440-light')
  await button.click()
  await confirm(page, 'It was delivered', 'they showed the transaction')
  await page.getByText('Nothing to decide').waitFor()
  const booked = await market.database.sql(
    `select kind, amount_sun::int as amount, debit from ledger.movement where kind = 'provider_goodwill'`,
  )
  expect(booked).toEqual([{ kind: 'provider_goodwill', amount: 650_000, debit: 'cost:goodwill' }])
  Object.assign(fake, { behaviour: 'ok' })
})

test('one field finds an account, an order, a deposit and a receiver, whatever is pasted', async () => {
  const [order] = await market.database.sql<{ id: string; receiver: string }>(
    `select id, receiver_address as receiver from orders.purchase_order`,
  )
  const [deposit] = await market.database.sql<{ txid: string }>(`select txid from deposits.deposit`)
  const page = await open('/')
  const field = page.getByLabel('Search')
  const found = page.getByRole('search').getByRole('button')
  for (const [pasted, words] of [
    [client.account_id, /^Account .* its id$/],
    [client.deposit_address, /^Account .* its address$/],
    [deposit!.txid, /^Deposit .* a deposit, confirmed, of/],
    [order!.receiver, /^Order .* its receiver, of/],
    [` ${order!.id} `, /^Order .* its id, of/],
  ] as const) {
    await field.fill(pasted)
    await found.filter({ hasText: words }).first().waitFor()
  }
  await saveScreenshot(page, 'console-found-1440-light')
  expect(await seriousFindings(page)).toEqual([])
  await field.press('Enter')
  const story = page.getByRole('region', { name: 'Why these providers' })
  await story
    .getByText(/bazaar takes 65,000 Energy: cheapest; offered 4,000,000 at 10 SUN/)
    .waitFor()
  expect(page.url()).toContain(`/operator/orders?id=${order!.id}`)
  const timeline = page.getByRole('list', { name: 'What happened to this order' })
  await timeline.getByText('Refunded in full').waitFor()
  expect(await timeline.innerText()).not.toMatch(/\bPaid\b|\bYou\b|\byour\b/)
  await saveScreenshot(page, 'console-story-1440-light')
  await field.fill('nobody is called so')
  await page.getByText('Nothing is known by this text.').waitFor()
})

test('a price is set by dragging its step, and the effect on last week is told', async () => {
  const page = await open('/prices')
  const plot = page.locator('.plot')
  await plot.locator('canvas').waitFor()
  const hour = page.getByLabel('12:00')
  const before = Number(await hour.inputValue())
  const { x, y, width, height } = (await plot.boundingBox())!
  // The thirteenth of 24 columns, to the right of the scale.
  const at = x + 56 + (width - 56) * (12.5 / 24)
  await page.mouse.move(at, y + height / 2)
  await page.mouse.down()
  await page.mouse.move(at, y + 8, { steps: 4 })
  await page.mouse.up()
  await expect.poll(async () => Number(await hour.inputValue())).toBeGreaterThan(before)
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByText('Nothing was sold in the last seven days.').waitFor()
})

test('a schedule is previewed with what it does to agents, and saved', async () => {
  const page = await open('/prices')
  await page.getByLabel('12:00').fill('90')
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByText('1 agent at risk').waitFor()
  await page.getByText('1 hour changes.').waitFor()
  await saveScreenshot(page, 'console-prices-preview-1440-light')
  await page.getByLabel('Smallest order, Energy').fill('70000')
  await page.getByLabel('Least margin, SUN per Energy').fill('2')
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByText('cannot be ordered').waitFor()
  await page.getByText('The smallest order becomes 70,000 Energy.').waitFor()
  await page.getByLabel('Smallest order, Energy').fill('60000')
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByText('At least 2 SUN of each Energy must stay.').waitFor()
  await page.getByRole('button', { name: 'Save prices' }).click()
  await confirm(page, 'Save prices', 'noon is dear')
  await until('the price is saved', async () => {
    const [row] = await market.database.sql<{ terms: string }>(
      `select concat_ws(' ', schedule_sun[13], min_amount, margin_floor_sun) as terms from pricing.terms`,
    )
    return row?.terms === '90 60000 2'
  })
})

test('a plan is added by a form', async () => {
  const page = await open('/plans')
  await page.getByRole('button', { name: 'Add a plan' }).click()
  await page.getByLabel('Plan', { exact: true }).last().fill('night')
  await page.getByLabel('Term, days').last().fill('30')
  await page.getByRole('button', { name: 'Replace plans' }).click()
  await confirm(page, 'Replace plans', 'nights are quiet')
  await page.getByRole('region', { name: 'On sale' }).getByText('night').waitFor()
})

/** In the page: whether the only key that it keeps could be read out. */
const IS_EXTRACTABLE = `(async () => {
  const done = (request) => new Promise((resolve) => {
    request.onsuccess = () => resolve(request.result)
  })
  const database = await done(indexedDB.open('ergon-operator'))
  const keys = database.transaction('approval-keys').objectStore('approval-keys')
  const [{ privateKey }] = await done(keys.getAll())
  database.close()
  return privateKey.extractable
})()`

test('an approval key is made in the browser, kept there, and cannot be taken out of it', async () => {
  const page = await open('/security')
  await page.getByRole('button', { name: 'Make a key' }).click()
  const shown = page.getByText(/npx ergon signer keys add ann@example\.com=[0-9a-f]{64}/)
  const before = await shown.innerText()
  await page.reload()
  expect(await shown.innerText()).toBe(before)
  expect(await page.evaluate(IS_EXTRACTABLE)).toBe(false)
  await saveScreenshot(page, 'console-approval-key-1440-light')
  expect(await seriousFindings(page)).toEqual([])
  await page.getByRole('button', { name: 'Forget this key' }).click()
  await page.getByRole('button', { name: 'Make a key' }).waitFor()
})

test('payout and adjustment are asked for, not approved by who asked, and approved by another', async () => {
  const page = await open('/accounts')
  await page.getByLabel('Find').fill(client.account_id)
  await page.getByRole('button', { name: 'Open' }).click()
  await page.getByLabel('VIP discount, %').fill('12.5')
  await page.getByRole('button', { name: 'Set discount' }).click()
  await confirm(page, 'Set discount', 'a good client')
  await page.getByText('Now 12.5 %.').waitFor()
  await page.getByLabel('Adjust by, TRX').fill('150')
  await page.getByRole('button', { name: 'Adjust' }).click()
  await confirm(page, 'Adjust', 'an outage of ours')
  await page.getByText('Nothing is booked yet.').waitFor()
  const to = toBase58(market.devnet.chain.network.funded[2]!.address)
  await page.getByLabel('Pay out to').fill(to)
  await page.getByLabel('Amount, TRX').fill('5')
  await page.getByRole('button', { name: 'Ask for payout' }).click()
  await confirm(page, 'Ask for payout', 'the client wrote to us')
  await saveScreenshot(page, 'console-account-1440-light')
  await page.getByRole('link', { name: 'Treasury' }).last().click()
  await page.getByRole('button', { name: 'Approve' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('amount in SUN: 5000000').waitFor()
  await dialog.getByLabel('Why').fill('I asked for it')
  await dialog.getByText('This browser has no approval key of yours').waitFor()
  expect(await dialog.getByRole('button', { name: 'Approve', exact: true }).isDisabled()).toBe(true)
  await saveScreenshot(page, 'console-payout-without-key-1440-light')
  expect(await seriousFindings(page)).toEqual([])
  await page.keyboard.press('Escape')
  await bringKey(page, FIRST.privateKey)
  await page.getByRole('link', { name: 'Treasury' }).last().click()
  await page.getByRole('button', { name: 'Approve' }).click()
  await confirm(page, 'Approve', 'I asked for it')
  await page.getByText(`approved by ${EMAIL}`).waitFor()
  const payoutState = async () => {
    const [row] = await market.database.sql<{ state: string }>(`select state from deposits.payout`)
    return row!.state
  }
  expect(await payoutState()).toBe('requested')

  await createOperator(market, 'bob@example.com')
  const other = await (await browser.newContext({ reducedMotion: 'reduce' })).newPage()
  await signIn(other, 'bob@example.com')
  await bringKey(other, SECOND.privateKey)
  await other.getByRole('link', { name: 'Treasury' }).last().click()
  await other.getByRole('button', { name: 'Approve' }).click()
  await confirm(other, 'Approve', 'seen and agreed')
  await until('the payout to be paid', async () => (await payoutState()) === 'paid')
  await other.getByRole('link', { name: 'Accounts' }).click()
  // The page before has such a button, too, until this one is there.
  await other.getByText('Adjustments that wait for a second operator').waitFor()
  await other.getByRole('button', { name: 'Approve' }).click()
  await confirm(other, 'Approve', 'seen and agreed')
  const adjusted = `select amount_sun::int as amount from ledger.movement where kind = 'adjustment'`
  expect(await market.database.sql(adjusted)).toEqual([{ amount: 150_000_000 }])
  await other.context().close()
})

test('who has no app is told the command that sets one up, and signs in with it', async () => {
  const email = 'cat@example.com'
  const { sessions } = market.console!
  await sessions.createOperator(email, PASSWORD)
  const page = await (await browser.newContext({ reducedMotion: 'reduce' })).newPage()
  await signIn(page, email, async () => {})
  await page.getByRole('link', { name: 'Security' }).click()
  await page.getByText('Without an app or a passkey you change nothing.').waitFor()
  await page.getByText(`Ask for npx ergon operators totp ${email} on a machine`).waitFor()
  await saveScreenshot(page, 'console-totp-1440-light')
  const authenticator = await createOperators(sessions, {
    random: systemRandom,
    db: market.db,
  }).replaceApp(email)
  const otp = createOTP(fromBase32(authenticator!.secret))
  await signIn(page, email, async () => showCode(page, await otp.totp()))
  await page.getByRole('link', { name: 'Security' }).click()
  await page.getByText('Your authenticator app is set up.').waitFor()
  await page.context().close()
})

test('a kill switch stops selling at once on two nodes', async () => {
  const buy = (app: TestApp) =>
    app.call('POST', '/v1/buy', {
      key: client.api_key,
      body: { receiver_address: market.receivers[1], resource_amount: 65_000 },
    })
  const page = await open('/switches')
  await page.getByRole('button', { name: 'Turn off selling' }).click()
  await confirm(page, 'Turn off', 'a drill')
  await page.getByRole('button', { name: 'Turn on selling' }).waitFor()
  for (const node of [market, second]) expect((await buy(node)).status).toBe(503)
  await page.getByRole('button', { name: 'Turn on selling' }).click()
  await confirm(page, 'Turn on', 'the drill is over')
  await page.getByRole('button', { name: 'Turn off selling' }).waitFor()
  expect((await buy(second)).status).toBe(200)
})

const PAGES = {
  status: ['/', 'Status'],
  undecided: ['/undecided', 'Undecided'],
  orders: ['/orders', 'Orders'],
  switches: ['/switches', 'Switches'],
  prices: ['/prices', 'Prices'],
  plans: ['/plans', 'Plans'],
  bars: ['/bars', 'AutoEnergy bars'],
  agents: ['/agents', 'Agents'],
  accounts: ['/accounts', 'Accounts'],
  treasury: ['/treasury', 'Treasury'],
  books: ['/books', 'Books'],
  scorecard: ['/scorecard', 'Scorecard'],
  audit: ['/audit', 'Audit log'],
  security: ['/security', 'Security'],
} as const

for (const [name, [path, title]] of Object.entries(PAGES)) {
  test(`${name}: fits both widths, in both themes, without a serious finding`, async () => {
    await expectFits(await open(path), `console-${name}`, title)
  })
}

test('no page broke its policy or complained', () => {
  expect(complaints).toEqual([])
})
