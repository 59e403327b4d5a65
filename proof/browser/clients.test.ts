// Proves: operator, identity, ledger.
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestApp } from '../testing/app.ts'
import { openTestApp } from '../testing/app.ts'
import { openBrowser, saveScreenshot, WIDTHS } from '../testing/browser.ts'
import { codeOfOperator, createOperator } from '../testing/operator.ts'
import { buildPages, seriousFindings, sideways } from '../testing/pages.ts'
import { PASSWORD, signUpWithoutLetter } from '../testing/visitor.ts'
import { load, newTab } from './tab.ts'

// What an operator decides about a client at the console, and what the client sees of it in the workspace.

let app: TestApp
let browser: Browser
let desk: Page
let client: Page
let account: string
let email: string
const complaints: string[] = []
const OPERATOR = 'ann@example.com'

beforeAll(async () => {
  buildPages()
  app = await openTestApp()
  await createOperator(app, OPERATOR)
  const person = await signUpWithoutLetter(app)
  email = person.email
  account = (await person.call('GET', '/session')).body.account_id
  browser = await openBrowser()
  const [one, other] = await Promise.all([
    browser.newContext({ reducedMotion: 'reduce' }),
    browser.newContext({ reducedMotion: 'reduce' }),
  ])
  desk = await newTab(one, complaints)
  client = await newTab(other, complaints)
})
afterAll(async () => {
  await browser?.close()
  await app?.close()
  await app?.devnet.close()
  expect(complaints).toEqual([])
})

async function confirm(name: string, why: string) {
  const asks = desk.getByRole('dialog').filter({ has: desk.locator('form') })
  await asks.getByLabel('Why').fill(why)
  await asks.getByRole('button', { name, exact: true }).last().click()
  await asks.getByLabel('Why').waitFor({ state: 'detached' })
}

/** At both widths, whole and without a serious finding. */
async function look(page: Page, name: string) {
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 })
    await saveScreenshot(page, `${name}-${width}-light`)
    expect([width, await sideways(page)]).toEqual([width, 0])
  }
  expect(await seriousFindings(page)).toEqual([])
  await page.setViewportSize({ width: 1440, height: 900 })
}

test('an operator groups, limits and blocks a client, and notes why', async () => {
  await load(desk, `${app.url}/operator`)
  await desk.waitForURL('**/operator/sign-in')
  await desk.getByRole('textbox', { name: 'E-mail' }).fill(OPERATOR)
  await desk.getByRole('textbox', { name: 'Password' }).fill(PASSWORD)
  await desk.getByRole('button', { name: 'Sign in' }).click()
  await desk.getByLabel('Code of your authenticator app').fill(await codeOfOperator(app, OPERATOR))
  await desk.getByRole('button', { name: 'Sign in' }).click()
  await desk.getByRole('heading', { name: 'Status' }).waitFor()
  await load(desk, `${app.url}/operator/accounts`)
  await desk.getByLabel('New group').fill('resellers')
  await desk.getByRole('button', { name: 'Make group' }).click()
  await confirm('Make group', 'they buy in bulk')
  await desk.getByRole('cell', { name: 'resellers' }).waitFor()
  await look(desk, 'console-accounts-groups')

  await load(desk, `${app.url}/operator/accounts?id=${account}`)
  await desk.getByLabel('Group', { exact: true }).selectOption('resellers')
  await desk.getByRole('button', { name: 'Move' }).click()
  await confirm('Move', 'contract of May')
  await desk.getByText('In resellers.').waitFor()
  await desk.getByLabel('Largest order, Energy').fill('100000')
  await desk.getByRole('button', { name: 'Set limits' }).click()
  await confirm('Set limits', 'a new client')
  await desk.getByLabel('Note').fill('Called on Monday.')
  await desk.getByRole('button', { name: 'Write note' }).click()
  await desk.getByText('Called on Monday.').last().waitFor()
  await desk.getByLabel('Reason for the client').fill('We need a document of you.')
  await desk.getByRole('button', { name: 'Block', exact: true }).click()
  await confirm('Block', 'ticket 4711')
  await desk.getByRole('button', { name: 'Unblock' }).waitFor()
  await look(desk, 'console-account-blocked')
})

test('the client reads why, and its limits, and nothing of the note', async () => {
  await load(client, `${app.url}/sign-in`)
  await client.getByLabel('E-mail').fill(email)
  await client.locator('input[type=password]').fill(PASSWORD)
  await client.getByRole('button', { name: 'Sign in', exact: true }).click()
  await client.getByRole('heading', { name: 'Overview' }).waitFor()
  await client.getByText('We need a document of you.').waitFor()
  await look(client, 'workspace-blocked')
  await load(client, `${app.url}/settings`)
  await client.getByText('Largest order: 100,000 Energy.').waitFor()
  expect(await client.content()).not.toContain('Called on Monday')
  await look(client, 'workspace-own-limits')
})

test('unblocked, the page says nothing of it any more', async () => {
  await desk.getByRole('button', { name: 'Unblock' }).click()
  await confirm('Unblock', 'the document is there')
  await desk.getByRole('button', { name: 'Block', exact: true }).waitFor()
  await load(client, `${app.url}/overview`)
  await client.getByRole('heading', { name: 'Overview' }).waitFor()
  expect(await client.getByText('This account is blocked').count()).toBe(0)
})
