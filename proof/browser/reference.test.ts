// Proves: pages.
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { refusals, routes, sandboxRoutes } from '@ergon/contract'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestApp, type TestApp } from '../testing/app.ts'
import { openBrowser, saveScreenshot, WIDTHS } from '../testing/browser.ts'

let app: TestApp
let browser: Browser
let page: Page
const requests: string[] = []
const complaints: string[] = []
beforeAll(async () => {
  app = await openTestApp({ scanMs: 1_000 })
  browser = await openBrowser()
  page = await browser.newPage()
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
  await setWidth(width)
  await page.emulateMedia({ colorScheme })
  requests.length = 0
  complaints.length = 0
  await page.goto(app.url + path)
}

const setWidth = (width: number) => page.setViewportSize({ width, height: 900 })

const sideways = () =>
  page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')

function expectQuiet() {
  const isForeign = (url: string) => !url.startsWith(`${app.url}/`) && url !== 'data:,'
  expect(requests.filter(isForeign)).toEqual([])
  expect(complaints).toEqual([])
}

test.each(WIDTHS)(
  'at %i px it shows every route and asks nobody else for anything',
  async (width) => {
    await open('/docs', width)
    const sections = (await page.evaluate(
      `[...document.querySelectorAll('section')].map(({ id, textContent }) => [id, textContent])`,
    )) as [string, string][]
    for (const { name, summary } of [...routes, ...sandboxRoutes]) {
      const found = sections.filter(([id]) => id === name)
      expect([name, found.length]).toEqual([name, 1])
      expect(found[0]![1]).toContain(summary)
    }
    expect(await sideways()).toBe(0)
    await saveScreenshot(page, `reference-${width}`)
    expect(requests).toContain(`${app.url}/docs/reference.css`)
    expectQuiet()
  },
)

test('a route shows its address, its fields and each of its refusals', async () => {
  await open('/docs', 1440)
  const section = (await page.locator('section#postBuy').textContent())!
  expect(section).toContain('/v1/buy')
  for (const field of ['receiver_address', 'resource_amount', 'balance_after_sun']) {
    expect(section).toContain(field)
  }
  const { refusals: codes } = routes.find(({ name }) => name === 'postBuy')!
  for (const code of codes) expect(section).toContain(refusals[code].when)
  expect(await page.locator('section#getSandboxClock').textContent()).toContain('/sandbox/clock')
})

test('on a desk no name of a field is broken; on a phone only between its words', async () => {
  const lines = `[...document.querySelectorAll('td code')]
    .map((code) => [code.textContent, new Set([...code.getClientRects()].map((r) => r.top)).size])`
  await open('/docs', 1440)
  const rows = (await page.evaluate(lines)) as [string, number][]
  expect(rows.filter(([, count]) => count > 1)).toEqual([])
  await setWidth(390)
  for (const [name, count] of (await page.evaluate(lines)) as [string, number][]) {
    expect([name, count <= name.split(/[_-]/).length]).toEqual([name, true])
  }
})

test('a link of the list leads to its route', async () => {
  await open('/docs', 390)
  await page.locator('nav a[href="#getOrder"]').click()
  expect(page.url()).toBe(`${app.url}/docs#getOrder`)
  const box = await page.locator('section#getOrder h3').boundingBox()
  expect(box!.y).toBeGreaterThanOrEqual(0)
  expect(box!.y).toBeLessThan(900)
})

test('in the dark it is dark, and still readable', async () => {
  await open('/docs', 390, 'dark')
  const [paper, ink] = (await page.evaluate(
    '[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]',
  )) as [string, string]
  const brightness = (rgb: string) => Number(/\d+/.exec(rgb)![0])
  expect(brightness(paper)).toBeLessThan(60)
  expect(brightness(ink)).toBeGreaterThan(200)
  await saveScreenshot(page, 'reference-390-dark')
})

const guide = globSync('{guide,operating}/*.md', { cwd: join(import.meta.dirname, '../../docs') })
  .map((file) => `/docs/${file.replace('.md', '')}`)
  .sort()

test.each(guide)('%s fits a phone and a desk, and asks nobody else for anything', async (path) => {
  await open(path, WIDTHS[0])
  for (const width of WIDTHS) {
    await setWidth(width)
    expect([width, await sideways()]).toEqual([width, 0])
    expect(await page.locator('nav [aria-current=page]').count()).toBe(1)
  }
  expectQuiet()
})

test('the guide in the dark is dark', async () => {
  await open('/docs/guide/start', 390, 'dark')
  const paper = await page.evaluate('getComputedStyle(document.body).backgroundColor')
  expect(Number(/\d+/.exec(paper as string)![0])).toBeLessThan(60)
  await saveScreenshot(page, 'guide-390-dark')
})
