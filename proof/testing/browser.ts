import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'
import { stretched } from './stretched.ts'

const ARTEFACTS = join(import.meta.dirname, '../../artefacts')
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** Widths at which the pages are tested: phone and desktop. */
export const WIDTHS = [390, 1440] as const

/** How long a page may take for anything. Below a test's own limit, so that a failure names what was waited for. */
const WAIT_MS = 60_000

/** The distribution's Chromium, so nothing is downloaded. */
export async function openBrowser(): Promise<Browser> {
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: FLAGS })
  const newContext = browser.newContext.bind(browser)
  // Pages of `browser.newPage` come this way too.
  browser.newContext = async (options) => {
    const context = await newContext(options)
    context.setDefaultTimeout(stretched(WAIT_MS))
    return context
  }
  return browser
}

/** Saves a picture for people to look at; git ignores the folder. */
export async function saveScreenshot(page: Page, name: string): Promise<void> {
  mkdirSync(ARTEFACTS, { recursive: true })
  await page.screenshot({ path: join(ARTEFACTS, `${name}.png`), fullPage: true })
}
