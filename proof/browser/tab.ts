import type { BrowserContext, Locator, Page } from 'playwright-core'

/**
 * A tab that writes down what its pages complain about. Tests share one where they can: a new tab
 * starts a process, which costs two to three times the CPU of loading a page in an open one.
 */
export async function newTab(context: BrowserContext, complaints: string[]): Promise<Page> {
  const tab = await context.newPage()
  tab.on('console', (line) => {
    // A refused call is told in words by the page; the browser's own line about it is no news.
    const isRefusal = line.text().startsWith('Failed to load resource')
    if (line.type() === 'error' && !isRefusal) complaints.push(`${tab.url()}: ${line.text()}`)
  })
  tab.on('pageerror', (error) => complaints.push(`${tab.url()}: ${error.message}`))
  return tab
}

/** Loads a page anew, at a desk and in light. */
export async function load(tab: Page, url: string): Promise<Page> {
  await tab.setViewportSize({ width: 1440, height: 900 })
  await tab.emulateMedia({ colorScheme: 'light' })
  await tab.goto(url)
  return tab
}

/** Both taps before the page can be painted. */
export function tapTwice(button: Locator): Promise<void> {
  return button.evaluate((element: { click(): void }) => {
    element.click()
    element.click()
  })
}
