import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { saveScreenshot, WIDTHS } from '../testing/browser.ts'
import { hardToTap, seriousFindings, settled, sideways } from '../testing/pages.ts'

/** Path and title of each page of the workspace. */
export const WORKSPACE_PAGES = {
  overview: ['/overview', 'Overview'],
  buy: ['/buy', 'Buy Energy'],
  orders: ['/orders', 'Orders'],
  ledger: ['/ledger', 'Ledger'],
  invoices: ['/invoices', 'Invoices'],
  deposits: ['/deposits', 'Deposits'],
  autoenergy: ['/autoenergy', 'AutoEnergy'],
  agent: ['/agent', 'Agent'],
  sales: ['/agent/sales', 'Agent sales'],
  webhooks: ['/webhooks', 'Webhooks'],
  chat: ['/chat', 'Chat'],
  keys: ['/keys', 'API keys'],
  requests: ['/requests', 'API requests'],
  settings: ['/settings', 'Settings'],
  security: ['/security', 'Security'],
} as const

/** A page at both widths, in both themes: whole, tapped by a finger, and without a serious finding. */
export async function expectFits(page: Page, name: string, title: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 })
      await page.getByRole('heading', { name: title, level: 1 }).waitFor()
      await settled(page)
      await saveScreenshot(page, `${name}-${width}-${colorScheme}`)
      expect([width, await sideways(page)]).toEqual([width, 0])
      if (width === WIDTHS[0]) expect(await hardToTap(page)).toEqual([])
      // Layout is the width's and colours are the theme's: each is looked at once.
      if ((width === WIDTHS[0]) !== (colorScheme === 'light')) continue
      expect([width, colorScheme, await seriousFindings(page)]).toEqual([width, colorScheme, []])
    }
  }
}
