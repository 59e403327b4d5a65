// Proves: http.
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { refusals, routes, sandboxRoutes } from '@ergon/contract'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBrowser, saveScreenshot, WIDTHS } from '../testing/browser.ts'
import { openTestHouse, type TestHouse } from '../testing/house.ts'

let house: TestHouse
let browser: Browser
beforeAll(async () => {
  house = await openTestHouse()
  browser = await openBrowser()
})
afterAll(async () => {
  await browser.close()
  await house.close()
})

/** Opens the reference and writes down every request and every complaint of the page. */
async function openReference(
  width: number,
  colorScheme: 'light' | 'dark' = 'light',
  path = '/docs',
) {
  const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme })
  const requests: string[] = []
  const complaints: string[] = []
  page.on('request', (request) => requests.push(request.url()))
  page.on('console', (message) => complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(error.message))
  await page.goto(house.url + path, { waitUntil: 'networkidle' })
  return { page, requests, complaints }
}

async function sideways(page: Page): Promise<number> {
  return page.evaluate(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  )
}

test.each(WIDTHS)(
  'at %i px it shows every route and asks nobody else for anything',
  async (width) => {
    const { page, requests, complaints } = await openReference(width)
    expect(requests.filter((url) => !url.startsWith(`${house.url}/`) && url !== 'data:,')).toEqual(
      [],
    )
    expect(requests).toContain(`${house.url}/docs/reference.css`)
    expect(complaints).toEqual([])
    for (const { name, summary } of [...routes, ...sandboxRoutes]) {
      const section = page.locator(`section#${name}`)
      expect([name, await section.count()]).toEqual([name, 1])
      expect(await section.textContent()).toContain(summary)
    }
    expect(await sideways(page)).toBe(0)
    await saveScreenshot(page, `reference-${width}`)
    await page.close()
  },
)

test('a route shows its address, its fields and each of its refusals', async () => {
  const { page } = await openReference(1440)
  const section = (await page.locator('section#postBuy').textContent())!
  expect(section).toContain('/v1/buy')
  for (const field of ['receiver_address', 'resource_amount', 'balance_after_sun']) {
    expect(section).toContain(field)
  }
  const { refusals: codes } = routes.find(({ name }) => name === 'postBuy')!
  for (const code of codes) expect(section).toContain(refusals[code].when)
  expect(await page.locator('section#getSandboxClock').textContent()).toContain('/sandbox/clock')
  await page.close()
})

test('on a desk no name of a field is broken; on a phone only between its words', async () => {
  const lines = `[...document.querySelectorAll('td code')]
    .map((code) => [code.textContent, new Set([...code.getClientRects()].map((r) => r.top)).size])`
  const wide = await openReference(1440)
  const rows = (await wide.page.evaluate(lines)) as [string, number][]
  expect(rows.filter(([, count]) => count > 1)).toEqual([])
  await wide.page.close()
  const narrow = await openReference(390)
  for (const [name, count] of (await narrow.page.evaluate(lines)) as [string, number][]) {
    expect([name, count <= name.split(/[_-]/).length]).toEqual([name, true])
  }
  await narrow.page.close()
})

test('a link of the list leads to its route', async () => {
  const { page } = await openReference(390)
  await page.locator('nav a[href="#getOrder"]').click()
  expect(page.url()).toBe(`${house.url}/docs#getOrder`)
  const box = await page.locator('section#getOrder h3').boundingBox()
  expect(box!.y).toBeGreaterThanOrEqual(0)
  expect(box!.y).toBeLessThan(900)
  await page.close()
})

test('in the dark it is dark, and still readable', async () => {
  const { page } = await openReference(390, 'dark')
  const [paper, ink] = (await page.evaluate(
    '[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]',
  )) as [string, string]
  const brightness = (rgb: string) => Number(/\d+/.exec(rgb)![0])
  expect(brightness(paper)).toBeLessThan(60)
  expect(brightness(ink)).toBeGreaterThan(200)
  await saveScreenshot(page, 'reference-390-dark')
  await page.close()
})

const guide = globSync('{guide,operating}/*.md', { cwd: join(import.meta.dirname, '../../docs') })
  .map((file) => `/docs/${file.replace('.md', '')}`)
  .sort()

test.each(guide)('%s fits a phone and a desk, and asks nobody else for anything', async (path) => {
  for (const width of [390, 1440]) {
    const { page, requests, complaints } = await openReference(width, 'light', path)
    expect(requests.filter((url) => !url.startsWith(`${house.url}/`) && url !== 'data:,')).toEqual(
      [],
    )
    expect(complaints).toEqual([])
    expect([width, await sideways(page)]).toEqual([width, 0])
    expect(await page.locator('nav [aria-current=page]').count()).toBe(1)
    await page.close()
  }
})

test('the guide in the dark is dark', async () => {
  const { page } = await openReference(390, 'dark', '/docs/guide/start')
  const paper = await page.evaluate('getComputedStyle(document.body).backgroundColor')
  expect(Number(/\d+/.exec(paper as string)![0])).toBeLessThan(60)
  await saveScreenshot(page, 'guide-390-dark')
  await page.close()
})
