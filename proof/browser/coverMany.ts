import type { Page } from 'playwright-core'
import { expect } from 'vitest'

/** Covers an address from a list with a wrong one, which is shown with its reason and stays in the form. */
export async function coverMany(page: Page, address: string): Promise<void> {
  await page.getByRole('button', { name: 'Cover addresses' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Many addresses').click()
  const addresses = dialog.getByRole('textbox', { name: 'Addresses' })
  await addresses.fill(`# wallets\n${address}, hot\nnobody\n`)
  await dialog.getByRole('button', { name: 'Cover 2 addresses' }).click()
  await dialog.getByText('1 of 2 addresses are covered now').waitFor()
  await dialog.getByText('address is not a TRON address').waitFor()
  expect(await addresses.inputValue()).toBe('nobody')
  await dialog.getByRole('button', { name: 'Cover 1 address' }).waitFor()
}
