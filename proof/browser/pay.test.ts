// Proves: agent, pages.
import { toBase58 } from '@ergon/tron'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AgentConfig, type AgentMarket, BASE, openAgentMarket } from '../testing/agent.ts'
import type { TestAccount } from '../testing/app.ts'
import { openBrowser, saveScreenshot, WIDTHS } from '../testing/browser.ts'
import { buildPages, seriousFindings, sideways } from '../testing/pages.ts'
import { stretched } from '../testing/stretched.ts'
import { until } from '../testing/until.ts'

// The pay page as customers meet it: on a phone or at a desk, in light or dark, with a script or without.

let market: AgentMarket
let browser: Browser
let shop: TestAccount
let shown: AgentConfig
/** How often an open page asks whether its offer still stands. */
const OFFER_MS = 20_000
const THEMES = ['light', 'dark'] as const
const LOOKS = WIDTHS.flatMap((width) => THEMES.map((theme) => [width, theme] as const))

beforeAll(async () => {
  buildPages()
  market = await openAgentMarket({ blockMs: 300 })
  browser = await openBrowser()
  shop = await market.fundedAccount('1000')
  shown = await market.newConfig(shop, { title: 'Corner shop' })
})
afterAll(async () => {
  await browser?.close()
  await market?.close()
})

const payerAt = (index: number) => toBase58(market.devnet.chain.network.funded[index]!.address)

/** Opens a pay page and writes down what it asks for and what it complains about. */
async function visit(
  path: string,
  given: BrowserContextOptions & { prepare?: (page: Page) => Promise<void> } = {},
) {
  const { prepare, ...options } = given
  const context = await browser.newContext({
    viewport: { width: 390, height: 844 },
    locale: 'en-GB',
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
    ...options,
  })
  const page = await context.newPage()
  const requests: string[] = []
  const complaints: string[] = []
  page.on('request', (request) => requests.push(request.url()))
  page.on('console', (line) => complaints.push(line.text()))
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('dialog', (dialog) => complaints.push(`dialog: ${dialog.message()}`))
  await prepare?.(page)
  const answer = await page.goto(`${market.url}/pay/${path}`)
  return { page, answer: answer!, requests, complaints, close: () => context.close() }
}

/** Same page, in each width and theme: fits, no serious finding, a picture for people. */
async function lookAt(page: Page, name: string) {
  for (const [width, colorScheme] of LOOKS) {
    await page.setViewportSize({ width, height: width === 390 ? 844 : 900 })
    await page.emulateMedia({ colorScheme })
    expect([name, width, colorScheme, await sideways(page)]).toEqual([name, width, colorScheme, 0])
    const findings = await seriousFindings(page)
    expect([name, width, colorScheme, findings]).toEqual([name, width, colorScheme, []])
    await saveScreenshot(page, `pay-${name}-${width}-${colorScheme}`)
  }
}

const step = (page: Page, name: string, state: string) =>
  page.locator(`.payment li.${state}`, { hasText: name }).waitFor()

test('from the first paint to delegated, while the transfer happens', async () => {
  const { page, requests, complaints, close } = await visit(shown.public_id)
  await page.getByRole('heading', { level: 1, name: '65,000 Energy for 3 TRX' }).waitFor()
  const fold = await page.getByRole('button', { name: 'Copy address' }).boundingBox()
  expect(fold!.y + fold!.height).toBeLessThan(844)
  await page.getByRole('button', { name: 'Copy address' }).click()
  await page.getByText('Copied').first().waitFor()
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(shown.address)
  await page.getByRole('button', { name: 'One unit more' }).click()
  await page.getByRole('heading', { level: 1, name: '130,000 Energy for 6 TRX' }).waitFor()
  expect(await page.locator('.deal .amount').textContent()).toBe('6')
  await page.getByText('Send 6 TRX from the wallet').waitFor()
  expect(await page.locator('.deal .energy').textContent()).toBe('130,000')
  await lookAt(page, 'first')

  await page.setViewportSize({ width: 390, height: 844 })
  const wallet = page.getByLabel('Your wallet address')
  const field = await wallet.boundingBox()
  expect(field!.y + field!.height).toBeLessThan(844)
  await wallet.fill(payerAt(0))
  await page.reload()
  expect(await wallet.inputValue()).toBe(payerAt(0))
  await page.getByRole('button', { name: 'Check and follow' }).click()
  await page.getByText('This address can receive Energy.').waitFor()
  await page.getByText('Waiting for a payment from').waitFor()
  await lookAt(page, 'waiting')

  const txid = await market.pay(shown, 2 * BASE)
  await step(page, 'Payment seen', 'done')
  await step(page, 'Energy delegated', 'done')
  await page.getByText('Usable until').waitFor()
  await page.getByTitle(txid).waitFor()
  await page.getByRole('heading', { name: 'Payment seen: 6 TRX' }).waitFor()
  const code = page.getByRole('img', { name: 'QR code of the address' })
  expect(await code.isVisible()).toBe(false)
  const [order] = (await market.get(shop, '/orders')).body.orders
  const [delegation] = order.delegation_txids
  await page.getByTitle(delegation).click()
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(delegation)
  await page.getByText('60 min left').waitFor()
  expect(await page.locator('.until time').textContent()).toMatch(/^Usable until \d\d:\d\d$/)
  await lookAt(page, 'delegated')

  // What was followed is there again after a reload, and nobody else was asked for anything.
  await page.reload()
  await step(page, 'Energy delegated', 'done')
  await page.getByRole('button', { name: 'Make another payment' }).click()
  await code.waitFor()
  expect(requests.filter((url) => !url.startsWith(`${market.url}/`))).toEqual([])
  expect(complaints).toEqual([])
  await close()
})

test('while the Energy is on its way, the step that is under way is shown, by our time', async () => {
  const place = market.rooms.delivery.loops.find(({ name }) => name === 'delivery.place')!
  await place.stop()
  const { page, close } = await visit(`${shown.public_id}#${payerAt(1)}`, {
    prepare: (p) => p.clock.install({ time: '2030-01-01T00:00:00Z' }),
  })
  await market.pay(shown, BASE, 1)
  await step(page, 'Delegating Energy', 'now')
  await page.locator('.payment').getByText('The Energy is on its way to your wallet.').waitFor()
  await lookAt(page, 'delegating')
  place.start()
  await step(page, 'Energy delegated', 'done')
  await page.getByText('60 min left').waitFor()
  await close()
})

test('a payment that was skipped is explained', async () => {
  const { page, close } = await visit(`${shown.public_id}#${payerAt(2)}`)
  await market.pay(shown, BASE - 1, 2)
  await step(page, 'Not delivered', 'bad')
  await page.locator('.payment').getByText('The amount is below the price of one unit').waitFor()
  await lookAt(page, 'skipped')
  await close()
})

test('an address that cannot receive is told so before anything is paid', async () => {
  const { page, complaints, close } = await visit(shown.public_id)
  const answers = {
    nonsense: 'This is not a TRON address',
    [market.freshWallet()]: 'This address has never been used.',
    [toBase58(market.devnet.chain.network.splitter)]: 'This is a contract.',
    [shown.address]: 'This is the address that is paid.',
  }
  for (const [address, words] of Object.entries(answers)) {
    // On a busy machine a page may be loaded anew, because nothing was for sale for a moment.
    await until(words, async () => {
      await page.getByLabel('Your wallet address').fill(address)
      await page.getByRole('button', { name: 'Check and follow' }).click()
      const told = page.locator('#checked', { hasText: words })
      return told.waitFor({ timeout: stretched(5_000) }).then(
        () => true,
        () => false,
      )
    })
    expect(await page.getByText('Waiting for a payment').count()).toBe(0)
  }
  expect(complaints).toEqual([])
  await close()
})

test('without JavaScript the address and the price are there', async () => {
  const { page, close } = await visit(shown.public_id, { javaScriptEnabled: false })
  const text = await page.locator('main').innerText()
  expect(text).toContain('65,000 Energy for 3 TRX')
  expect(text).toContain(shown.address)
  expect(text).toContain('Less than 3 TRX')
  expect(text).toContain('More than 9 TRX')
  expect(await page.getByRole('img', { name: 'QR code of the address' }).isVisible()).toBe(true)
  expect(await page.getByRole('button').count()).toBe(0)
  await saveScreenshot(page, 'pay-no-script-390')
  await close()
})

test('a title is text, whatever it looks like', async () => {
  const attack = '<img src=x onerror=alert(1)>'
  const rightToLeft = '\u202eمتجر <b>"Energy\'s"</b>'
  for (const title of [attack, rightToLeft]) {
    const config = await market.newConfig(shop, { title })
    const { page, requests, complaints, close } = await visit(config.public_id)
    expect(await page.locator('.title bdi').textContent()).toBe(title)
    expect(await page.title()).toBe(`65,000 Energy for 3 TRX · ${title}`)
    expect(await page.locator('main img, main .title b').count()).toBe(0)
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe(
      '65,000 Energy for 3 TRX',
    )
    expect(requests.some((url) => url.endsWith('/x'))).toBe(false)
    expect(complaints).toEqual([])
    await saveScreenshot(page, `pay-title-${title === attack ? 'markup' : 'right-to-left'}-390`)
    await close()
  }
})

test('paused: no address to pay to, and the reason to wait', async () => {
  const config = await market.newConfig(shop, { title: 'Closed today' })
  await market.agent(shop, 'POST', `/configs/${config.id}/pause`)
  const { page, close } = await visit(config.public_id)
  await page.getByRole('heading', { name: 'No payments right now' }).waitFor()
  await page.getByText('Paid before the pause?').waitFor()
  expect(await page.content()).not.toContain(config.address)
  await lookAt(page, 'paused')
  await close()
})

test('a page that is open when its configuration is paused says so by itself', async () => {
  const config = await market.newConfig(shop)
  const { page, close } = await visit(config.public_id, { prepare: (p) => p.clock.install() })
  await page.getByRole('button', { name: 'Copy address' }).waitFor()
  await market.agent(shop, 'POST', `/configs/${config.id}/pause`)
  await page.clock.fastForward(OFFER_MS)
  await page.getByRole('heading', { name: 'No payments right now' }).waitFor()
  await close()
})

test('deleted: a friendly page with 404', async () => {
  const config = await market.newConfig(shop)
  await market.agent(shop, 'DELETE', `/configs/${config.id}`)
  for (const path of [config.public_id, 'nonsense']) {
    const { page, answer, close } = await visit(path)
    expect(answer.status()).toBe(404)
    await page.getByRole('heading', { name: 'This pay page does not exist' }).waitFor()
    if (path === config.public_id) await lookAt(page, 'missing')
    await close()
  }
})

test('four languages: by ?lang=, else by what the browser accepts', async () => {
  const h1 = async (query: string, locale: string) => {
    const { page, close } = await visit(`${shown.public_id}${query}`, { locale })
    const found = [
      await page.getAttribute('html', 'lang'),
      await page.getByRole('heading', { level: 1 }).innerText(),
    ]
    expect(await sideways(page)).toBe(0)
    await saveScreenshot(page, `pay-${found[0]}-390`)
    await close()
    return found
  }
  expect(await h1('', 'zh-CN')).toEqual(['zh', '3 TRX 购买 65,000 能量'])
  expect(await h1('', 'ru-RU')).toEqual(['ru', '65\u00a0000 энергии за 3 TRX'])
  expect(await h1('', 'es-MX')).toEqual(['es', '65\u00a0000 de\u00a0energía por 3 TRX'])
  expect(await h1('', 'fr-FR')).toEqual(['en', '65,000 Energy for 3 TRX'])
  expect((await h1('?lang=es', 'zh-CN'))[0]).toBe('es')
  expect((await h1('?lang=xx', 'ru-RU'))[0]).toBe('ru')
})

test('the policy allows nothing inline, and a visit weighs less than 20 kB', async () => {
  const { answer, page, close } = await visit(shown.public_id)
  const policy = answer.headers()['content-security-policy']!
  expect(policy).toContain(`default-src 'none'`)
  expect(policy).not.toContain('unsafe')
  expect(await page.locator('[style]').count()).toBe(0)
  const html = await answer.text()
  const urls = [...html.matchAll(/\/pay\/assets\/[\w.-]+/g)].map(([url]) => market.url + url)
  expect(urls).toHaveLength(3)
  const whole = await fetch(answer.url(), { headers: { 'accept-encoding': 'gzip' } })
  let bytes = Number(whole.headers.get('content-length'))
  for (const url of urls) {
    const got = await fetch(url, { headers: { 'accept-encoding': 'gzip' } })
    expect([got.status, got.headers.get('content-encoding')]).toEqual([200, 'gzip'])
    expect(got.headers.get('cache-control')).toContain('immutable')
    bytes += Number(got.headers.get('content-length'))
  }
  expect(bytes).toBeGreaterThan(1_000)
  expect(bytes).toBeLessThan(20_000)
  await close()
})
