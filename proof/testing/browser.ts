import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'

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

/** The distribution's Chromium, so nothing is downloaded. */
export function openBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: '/usr/bin/chromium', args: FLAGS })
}

/** Saves a picture for people to look at; git ignores the folder. */
export async function saveScreenshot(page: Page, name: string): Promise<void> {
  mkdirSync(ARTEFACTS, { recursive: true })
  await page.screenshot({ path: join(ARTEFACTS, `${name}.png`), fullPage: true })
}
