// Proves: identity, operator.
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestApp, type TestApp } from '../testing/app.ts'
import { openBrowser, saveScreenshot, WIDTHS } from '../testing/browser.ts'
import { codeOfOperator, createOperator } from '../testing/operator.ts'
import { buildPages, seriousFindings, settled, sideways } from '../testing/pages.ts'
import { virtualAuthenticator } from '../testing/virtualAuthenticator.ts'
import { PASSWORD, signUp } from '../testing/visitor.ts'
import { newTab } from './tab.ts'

// A device with passkeys at the pages, as first and as second factor. Browsers keep them for names only.

let app: TestApp
let browser: Browser
let url: string
beforeAll(async () => {
  buildPages()
  app = await openTestApp()
  url = app.url.replace('127.0.0.1', 'localhost')
  browser = await openBrowser()
})
afterAll(async () => {
  await browser?.close()
  await app?.close()
})

const complaints: string[] = []
async function openTab() {
  const page = await newTab(await browser.newContext({ reducedMotion: 'reduce' }), complaints)
  await page.setViewportSize({ width: 1440, height: 900 })
  return { page, device: await virtualAuthenticator(page) }
}

async function look(page: Page, name: string) {
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 })
    await settled(page)
    await saveScreenshot(page, `${name}-${width}-light`)
    expect([width, await sideways(page)]).toEqual([width, 0])
  }
  expect(await seriousFindings(page)).toEqual([])
}

async function fillPassword(page: Page, email: string) {
  await page.getByRole('textbox', { name: 'E-mail' }).fill(email)
  await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

const ageFactors = (email: string) =>
  app.database.sql(`update better_auth.session set "codeAt" = "codeAt" - interval '1 hour'
     where "userId" = (select id from better_auth."user" where email = '${email}')`)

test('a client adds a passkey, signs in with it, and shows it before a key is made', async () => {
  const { email } = await signUp(app.url)
  const { page, device } = await openTab()
  await page.goto(`${url}/sign-in`)
  await fillPassword(page, email)
  await page.getByRole('heading', { name: 'Overview' }).waitFor()

  await page.goto(`${url}/security`)
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Work laptop')
  await dialog.getByLabel('Your password').fill(PASSWORD)
  await look(page, 'workspace-passkey-add')
  await dialog.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('cell', { name: 'Work laptop', exact: true }).waitFor()
  await page.getByText('This passkey is your only second step').waitFor()
  await look(page, 'workspace-passkeys')
  expect(await device.credentials()).toMatchObject([
    { rpId: 'localhost', isResidentCredential: true },
  ])

  // Shown again, because the last time is long ago.
  await ageFactors(email)
  await device.setPresent(false)
  await page.goto(`${url}/keys`)
  await page.getByRole('button', { name: 'New key' }).click()
  await page.getByRole('button', { name: 'Create key' }).click()
  const asks = page.getByRole('dialog').filter({ hasText: 'Your passkey, please' })
  await asks.waitFor()
  await look(page, 'workspace-passkey-step-up')
  await device.setPresent(true)
  await asks.getByRole('button', { name: 'Use your passkey' }).click()
  await page.getByText('Copy it now.').waitFor()

  // After the password, as the second step.
  await device.setPresent(false)
  await page.context().clearCookies()
  await page.goto(`${url}/sign-in`)
  await page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor()
  await look(page, 'workspace-sign-in-passkey')
  await fillPassword(page, email)
  await page.getByRole('heading', { name: 'Your second step' }).waitFor()
  await page.getByLabel('Code').waitFor({ state: 'hidden' })
  await look(page, 'workspace-second-step-passkey')
  await device.setPresent(true)
  await page.getByRole('button', { name: 'Use your passkey' }).click()
  await page.getByRole('heading', { name: 'Overview' }).waitFor()

  // Instead of the password, by the button.
  await device.setPresent(false)
  await page.context().clearCookies()
  await page.goto(`${url}/sign-in`)
  const button = page.getByRole('button', { name: 'Sign in with a passkey' })
  await button.waitFor()
  await device.setPresent(true)
  await button.click()
  await page.getByRole('heading', { name: 'Overview' }).waitFor()

  // Renamed, and removed: the last one says what follows.
  await page.goto(`${url}/security`)
  await page.getByRole('button', { name: 'Rename Work laptop' }).click()
  await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill('Old laptop')
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: 'Remove Old laptop' }).click()
  await page.getByText('It is your last second step').waitFor()
  await look(page, 'workspace-passkey-remove')
  await page.getByRole('button', { name: 'Remove my last second step' }).click()
  await page.getByRole('cell', { name: 'Old laptop', exact: true }).waitFor({ state: 'detached' })

  // The device still has it, and it opens nothing.
  await device.setPresent(false)
  await page.context().clearCookies()
  await page.goto(`${url}/sign-in`)
  await button.waitFor()
  await device.setPresent(true)
  await button.click()
  await page.getByText('This passkey was not accepted').waitFor()
  await device.setPresent(false)
  expect(complaints).toEqual([])
  await page.close()
})

test('a passkey from the list of the browser signs in; a finger that is not the owner’s does not', async () => {
  const { email } = await signUp(app.url)
  const { page, device } = await openTab()
  await page.goto(`${url}/sign-in`)
  await fillPassword(page, email)
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  await page.goto(`${url}/security`)
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByRole('dialog').getByLabel('Your password').fill(PASSWORD)
  await page.getByRole('dialog').getByRole('button', { name: 'Continue' }).click()
  await page.getByText('This passkey is your only second step').waitFor()
  // The browser's own list under the e-mail address: the device chooses by itself.
  await page.context().clearCookies()
  await page.goto(`${url}/sign-in`)
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  await device.setVerified(false)
  await page.context().clearCookies()
  await page.goto(`${url}/sign-in`)
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await page.getByText('No passkey was shown').waitFor()
  await look(page, 'workspace-sign-in-passkey-refused')
  expect((await page.context().cookies()).map(({ name }) => name)).toEqual([])
  await page.close()
})

test('at an address of numbers the page says where passkeys work', async () => {
  const { page } = await openTab()
  const { email } = await signUp(app.url)
  await page.goto(`${app.url}/sign-in`)
  await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor()
  await page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor({ state: 'hidden' })
  await fillPassword(page, email)
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  await page.goto(`${app.url}/security`)
  const link = page.getByRole('link', { name: 'Open this page at localhost' })
  expect(await link.getAttribute('href')).toBe(`${url}/security`)
  await page.close()
})

test('an operator adds a passkey after a code, and signs in and steps up with it', async () => {
  const email = 'ann@example.com'
  await createOperator(app, email)
  const { page, device } = await openTab()
  await page.goto(`${url}/operator/sign-in`)
  await fillPassword(page, email)
  await page.getByLabel('Code of your authenticator app').fill(await codeOfOperator(app, email))
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('heading', { name: 'Status' }).waitFor()

  await page.goto(`${url}/operator/security`)
  await ageFactors(email)
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill('Desk')
  await page.getByRole('button', { name: 'Continue' }).click()
  // A password and an open session are not enough.
  const code = page.getByLabel('Code of your authenticator app')
  await code.fill(await codeOfOperator(app, email))
  await page.getByRole('button', { name: 'Continue' }).last().click()
  await page.getByRole('cell', { name: 'Desk', exact: true }).waitFor()
  await look(page, 'console-passkeys')

  await ageFactors(email)
  await device.setPresent(false)
  await page.getByRole('button', { name: 'Rename Desk' }).click()
  await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill('Desk at home')
  await page.getByRole('button', { name: 'Save' }).click()
  const asks = page.getByRole('dialog').filter({ hasText: 'Your code, please' })
  await asks.waitFor()
  await look(page, 'console-passkey-step-up')
  await device.setPresent(true)
  await asks.getByRole('button', { name: 'Use your passkey' }).click()
  await page.getByRole('cell', { name: 'Desk at home', exact: true }).waitFor()

  await device.setPresent(false)
  await page.context().clearCookies()
  await page.goto(`${url}/operator/sign-in`)
  const button = page.getByRole('button', { name: 'Sign in with a passkey' })
  await button.waitFor()
  await look(page, 'console-sign-in-passkey')
  await fillPassword(page, email)
  await page.getByRole('button', { name: 'Use your passkey' }).waitFor()
  await look(page, 'console-second-step-passkey')
  await device.setPresent(true)
  await page.getByRole('button', { name: 'Use your passkey' }).click()
  await page.getByRole('heading', { name: 'Status' }).waitFor()

  await device.setPresent(false)
  await page.context().clearCookies()
  await page.goto(`${url}/operator/sign-in`)
  await button.waitFor()
  await device.setPresent(true)
  await button.click()
  await page.getByRole('heading', { name: 'Status' }).waitFor()

  // The same passkey at the workspace opens nothing.
  await device.setPresent(false)
  await page.goto(`${url}/sign-in`)
  await button.waitFor()
  await device.setPresent(true)
  await button.click()
  await page.getByText('This passkey was not accepted').waitFor()
  expect(complaints).toEqual([])
  await page.close()
})
