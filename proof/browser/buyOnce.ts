import type { Page, Route } from 'playwright-core'
import { expect } from 'vitest'
import { tapTwice } from './tab.ts'

/** The next call of the path is answered by the service, and its answer never arrives. */
async function loseAnswer(page: Page, path: string): Promise<void> {
  const lose = async (route: Route) => {
    await route.fetch()
    await route.abort()
  }
  await page.route(`**/app/v1${path}`, lose, { times: 1 })
}

/** Wishes for five orders on the page, by two taps and by retries after lost answers. */
export async function wishForFive(page: Page, receiver: string): Promise<void> {
  const again = page.getByRole('button', { name: /^Try again/ })
  const receivers = page.getByRole('textbox', { name: 'Receivers' })
  const buyBoth = page.getByRole('button', { name: /^Buy 130,000 Energy for 2/ })

  await page.getByPlaceholder('T…').fill(receiver)
  await loseAnswer(page, '/buy')
  await page.getByRole('button', { name: /^Buy 65,000 Energy for .* TRX$/ }).click()
  await again.waitFor()
  expect(await page.getByRole('button', { name: /by transfer|unpaid/ }).isDisabled()).toBe(true)

  await page.getByText('Many addresses', { exact: true }).click()
  await receivers.fill(`${receiver}\n${receiver}\n`)
  await tapTwice(buyBoth)
  await page.getByText('2 of 2 bought').waitFor()
  await page.getByRole('button', { name: 'New batch' }).click()
  await receivers.fill(`${receiver}\n${receiver}\n`)
  await loseAnswer(page, '/buy/batch')
  await buyBoth.click()
  await again.click()
  await page.getByText('2 of 2 bought').waitFor()

  // The other form has kept its key.
  await page.getByText('One address', { exact: true }).click()
  await again.click()
  await page.getByText('Ordered. You can follow it on this page.').waitFor()
}
