import type { Page } from 'playwright-core'
import type { TestApp } from '../testing/app.ts'
import { codeOfOperator } from '../testing/operator.ts'
import { PASSWORD } from '../testing/visitor.ts'

// What an operator does on every page of the console.

/** Says why, and does it. */
export async function confirm(page: Page, name: string, why: string) {
  const asks = page.getByRole('dialog').filter({ has: page.locator('form') })
  await asks.getByLabel('Why').fill(why)
  await asks.getByRole('button', { name, exact: true }).last().click()
  await asks.getByLabel('Why').waitFor({ state: 'detached' })
}

export async function showCode(page: Page, code: string) {
  await page.getByLabel('Code of your authenticator app').fill(code)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** `secondStep`: what is done when a code is asked for. By default the app of the tests' operators is used. */
export async function signInAt(
  app: TestApp,
  page: Page,
  email: string,
  secondStep: () => Promise<void> = async () => showCode(page, await codeOfOperator(app, email)),
) {
  await page.goto(`${app.url}/operator`)
  await page.waitForURL('**/operator/sign-in')
  await page.getByRole('textbox', { name: 'E-mail' }).fill(email)
  await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await secondStep()
  await page.getByRole('heading', { name: 'Status' }).waitFor()
}

/** The sandbox's keys, as its operators bring them to their browsers. */
export async function bringKey(page: Page, privateKey: string) {
  await page.getByRole('link', { name: 'Security' }).last().click()
  await page.getByRole('textbox', { name: 'Or bring a private key' }).fill(privateKey)
  await page.getByRole('button', { name: 'Keep it here' }).click()
  await page.getByText('npx ergon signer keys add').waitFor()
}
