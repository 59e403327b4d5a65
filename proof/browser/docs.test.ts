// Proves: pages.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestApp, type TestApp } from '../testing/app.ts'
import { openBrowser, saveScreenshot, WIDTHS } from '../testing/browser.ts'
import { buildPages, seriousFindings, sideways } from '../testing/pages.ts'
import { stretched } from '../testing/stretched.ts'
import { until } from '../testing/until.ts'

let app: TestApp
let browser: Browser
let page: Page
const requests: string[] = []
const complaints: string[] = []
beforeAll(async () => {
  buildPages()
  app = await openTestApp({ scanMs: 1_000 })
  browser = await openBrowser()
  const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] })
  page = await context.newPage()
  page.on('request', (request) => requests.push(request.url()))
  page.on('console', (message) => complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(error.message))
})
afterAll(async () => {
  await browser?.close()
  await app?.close()
})

/** Opens a page anew, and forgets what the one before it asked for and complained about. */
async function open(path: string, width: number, colorScheme: 'light' | 'dark' = 'light') {
  await page.setViewportSize({ width, height: 900 })
  await page.emulateMedia({ colorScheme })
  requests.length = 0
  complaints.length = 0
  await page.goto(app.url + path)
}

function expectQuiet() {
  const isForeign = (url: string) => !url.startsWith(`${app.url}/`) && !url.startsWith('data:')
  expect(requests.filter(isForeign)).toEqual([])
  expect(complaints).toEqual([])
}

const brightness = async () => {
  const paper = await page.evaluate('getComputedStyle(document.body).backgroundColor')
  return Number(/\d+/.exec(paper as string)![0])
}

const dist = join(import.meta.dirname, '../../web/dist/docs')
const built = () => globSync('{*,{guide,reference,operating}/*}.html', { cwd: dist }).sort()

/** One of each kind: axe takes a second for each. */
const KINDS = [
  '/docs',
  '/docs/guide/webhooks',
  '/docs/reference/purchase-api',
  '/docs/events',
  '/docs/errors',
]

test(
  'every page fits a phone and a desk and asks nobody else for anything; axe finds nothing',
  async () => {
    const pages = built()
    expect(pages.length).toBeGreaterThan(30)
    for (const file of pages) {
      const path = `/docs/${file.replace(/(^index)?\.html$/, '')}`.replace(/\/$/, '')
      await open(path, WIDTHS[0])
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 })
        expect([path, width, await sideways(page)]).toEqual([path, width, 0])
      }
      expect([path, await page.locator('nav [aria-current=page]').count()]).toEqual([path, 1])
      if (KINDS.includes(path)) expect([path, await seriousFindings(page)]).toEqual([path, []])
      expectQuiet()
    }
  },
  stretched(120_000),
)

test('in the dark it is dark and axe finds nothing; a choice of the theme stays', async () => {
  await open('/docs/reference/purchase-api', 390, 'dark')
  expect(await brightness()).toBeLessThan(60)
  expect(await seriousFindings(page)).toEqual([])
  await saveScreenshot(page, 'docs-390-dark')
  await page.locator('#theme').click()
  expect(await page.locator('#theme').textContent()).toBe('Theme: light')
  expect(await brightness()).toBeGreaterThan(200)
  await open('/docs/guide/start', 1440, 'dark')
  expect(await brightness()).toBeGreaterThan(200)
  await page.locator('#theme').click()
  await page.locator('#theme').click()
  expect(await brightness()).toBeLessThan(60)
})

test('the search finds a refusal by its code and leads to it', async () => {
  await open('/docs', 1440)
  expect(requests.filter((url) => url.endsWith('.json'))).toEqual([])
  await page.keyboard.press('/')
  await page.keyboard.type('insufficient_balance')
  const first = page.locator('#found a').first()
  await first.waitFor()
  expect(await seriousFindings(page)).toEqual([])
  await saveScreenshot(page, 'docs-search')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.waitForURL(/insufficient_balance/)
  await open('/docs', 390)
  await page.locator('#query').fill('zzzz')
  await until(
    'no result',
    async () => (await page.locator('#found').textContent()) === 'Nothing found.',
  )
  expectQuiet()
})

/** Opens the form of a call's example, and sends it. */
async function tryCall(name: string, send: string) {
  const form = page.locator(`#${name} ~ .try`).first()
  await form.getByRole('button', { name: 'Try it' }).click()
  await form.getByRole('button', { name: `Send ${send}` }).click()
  const shown = form.locator('pre')
  await until('the answer', async () => {
    await app.mineWhenRead()
    return (await shown.count()) === 1
  })
  return (await shown.textContent())!
}

test('a request is sent from its example, with an account and the ids of the sandbox', async () => {
  await open('/docs/reference/purchase-api', 390)
  expect(await tryCall('getAccount', 'GET /v1/account')).toMatch(
    /^200[^{]+\{\s+"balance_trx": "1000"/,
  )
  expect(await sideways(page)).toBe(0)
  expect(await seriousFindings(page)).toEqual([])
  await saveScreenshot(page, 'docs-try-it')
  await open('/docs/reference/sandbox', 1440)
  const [, id] = /"id": "(.+)"/.exec(
    await tryCall('postSandboxSink', 'POST /sandbox/webhook-sink'),
  )!
  await tryCall('getSandboxSink', 'GET /sandbox/webhook-sink/{id}')
  expect(await page.locator('#getSandboxSink ~ .try').first().getByLabel('id').inputValue()).toBe(
    id,
  )
  expect(requests.at(-1)).toContain(id)
  expectQuiet()
})

test('a block is copied, and on a phone the menu opens', async () => {
  await open('/docs/guide/start', 390)
  const block = page.locator('.code').first()
  await block.hover()
  await block.locator('.copy').click()
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe('npm start')
  const link = page.locator('nav a[href="/docs/guide/webhooks"]')
  expect(await link.isVisible()).toBe(false)
  await page.locator('#menu').click()
  await link.click()
  await page.waitForURL('**/docs/guide/webhooks')
})

test('without the script every page can be read', async () => {
  const context = await browser.newContext({ javaScriptEnabled: false })
  const plain = await context.newPage()
  await plain.goto(`${app.url}/docs/reference/purchase-api`)
  expect(await plain.locator('nav a[href="/docs/guide/start"]').isVisible()).toBe(true)
  expect(await plain.locator('#query').isVisible()).toBe(false)
  await context.close()
})

test('a first visit is at most 250 kB, the search included', () => {
  const bytes = Number(readFileSync(join(dist, 'entry-bytes'), 'utf8'))
  expect(bytes).toBeGreaterThan(10_000)
  expect(bytes).toBeLessThan(250_000)
})
