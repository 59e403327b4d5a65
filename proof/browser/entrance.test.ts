// Proves: identity.
import { createOTP } from '@better-auth/utils/otp'
import { addressOfPrivateKey, signMessageV2, toBase58 } from '@ergon/tron'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createLog } from '../../service/kernel/index.ts'
import { openTestApp, type TestApp } from '../testing/app.ts'
import { openBrowser, saveScreenshot, WIDTHS } from '../testing/browser.ts'
import { fromBase32, nextCode } from '../testing/otp.ts'
import { buildPages, seriousFindings, sideways } from '../testing/pages.ts'
import { until } from '../testing/until.ts'
import { PASSWORD, signUp } from '../testing/visitor.ts'
import { newTab } from './tab.ts'

const KEY = 'e'.repeat(64)
const ADDRESS = toBase58(addressOfPrivateKey(KEY))

let app: TestApp
let browser: Browser
let logged = ''
beforeAll(async () => {
  buildPages()
  const write = (line: string) => {
    logged += line
  }
  // As the sandbox does it: a letter is a line in the log.
  app = await openTestApp({ mail: 'log', log: createLog('warn', { write }) })
  browser = await openBrowser()
})
afterAll(async () => {
  await browser?.close()
  await app?.close()
})

const receiver = () => toBase58(app.devnet.chain.network.funded[3]!.address)

/** A browser in which TronLink has put itself, unlocked. */
async function withTronLink() {
  const page = await browser.newPage({ viewport: { width: 390, height: 900 } })
  await page.exposeFunction('signByKey', (text: string) => signMessageV2(text, KEY))
  await page.addInitScript(`window.tronLink = {
    request: async () => ({ code: 200 }),
    tronWeb: {
      defaultAddress: { base58: '${ADDRESS}' },
      trx: { signMessageV2: (text) => window.signByKey(text) },
    },
  }`)
  return page
}

test('a wallet signs in by TronLink, and with an authenticator app a code is asked for', async () => {
  const ada = await signUp(app.url)
  const { nonce, message } = (await ada.call('POST', '/wallet/challenge', { address: ADDRESS }))
    .body
  await ada.call('POST', '/wallet', { nonce, signature: signMessageV2(message, KEY) })

  const page = await withTronLink()
  await page.goto(`${app.url}/sign-in`)
  await page.getByRole('button', { name: 'Continue with TronLink' }).click()
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  await page.getByRole('button', { name: 'Account' }).click()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.waitForURL('**/sign-in')

  const begun = await ada.call('POST', '/session/totp', { password: PASSWORD })
  const otp = createOTP(fromBase32(new URL(begun.body.uri).searchParams.get('secret')!))
  await ada.call('POST', '/session/totp/confirm', { code: await otp.totp() })
  await page.getByRole('button', { name: 'Continue with TronLink' }).click()
  await page.getByRole('heading', { name: 'Your second step' }).waitFor()
  await saveScreenshot(page, 'workspace-second-step-390-light')
  expect(await seriousFindings(page)).toEqual([])
  await page.getByLabel('Code').fill(await nextCode(otp))
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
})

test('who forgot the password asks for a link, follows it, and is in again', async () => {
  const { email } = await signUp(app.url)
  const page = await browser.newPage({ viewport: { width: 390, height: 900 } })
  await page.goto(`${app.url}/sign-in`)
  await page.getByRole('link', { name: 'Forgot your password?' }).click()
  await page.getByLabel('E-mail').fill(email)
  await page.getByRole('button', { name: 'Send the link' }).click()
  await page.getByText('the link is in the output of the service').waitFor()
  await saveScreenshot(page, 'workspace-forgot-asked-390-light')
  const url = await until('the link', () => /"url":"([^"]+\/reset#[^"]+)"/.exec(logged)?.[1])
  await page.goto(url)
  await page.locator('input[type=password]').fill('another horse battery')
  await page.getByRole('button', { name: 'Change password' }).click()
  await page.getByText('Everybody was signed out').waitFor()
  await saveScreenshot(page, 'workspace-reset-done-390-light')

  const late = await browser.newPage({ viewport: { width: 390, height: 900 } })
  await late.goto(url)
  await late.locator('input[type=password]').fill('a third horse battery')
  await late.getByRole('button', { name: 'Change password' }).click()
  await late.getByText('This link was used already').waitFor()
  await saveScreenshot(late, 'workspace-reset-over-390-light')
  expect(await seriousFindings(late)).toEqual([])
  await late.getByRole('link', { name: 'Ask for a new link' }).click()
  await late.getByRole('button', { name: 'Send the link' }).waitFor()

  await page.getByRole('link', { name: 'Sign in', exact: true }).click()
  await page.getByLabel('E-mail').fill(email)
  await page.locator('input[type=password]').fill('another horse battery')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
})

test('the front says what a transfer costs a wallet, with and without Energy, and how to buy it', async () => {
  const complaints: string[] = []
  const page = await newTab(await browser.newContext(), complaints)
  await page.goto(app.url)
  await page
    .getByText(/^Burning TRX instead: [\d.]+\sTRX$/)
    .first()
    .waitFor()
  await page.getByText('Left empty: a wallet that has USDT already.').waitFor()
  const sender = page.getByLabel('Wallet that sends USDT')
  await sender.fill('nobody')
  await page.getByRole('button', { name: 'Work it out' }).click()
  await page.getByText('The wallet that sends is not a TRON address.').waitFor()
  await sender.fill(receiver())
  await page.getByRole('button', { name: 'Work it out' }).click()
  await page.getByText('Burned without Energy').waitFor()
  await page.getByText(/You save \d\d %/).waitFor()
  await page.getByLabel('Transaction id').fill('ab'.repeat(31))
  await page.getByRole('button', { name: 'Find out why' }).click()
  await page.getByText('A transaction id has 64 characters').waitFor()
  // As it is copied from an explorer.
  const link = `https://explorer.example/#/transaction/${'AB'.repeat(32)}`
  await page.getByLabel('Transaction id').fill(link)
  await page.getByRole('button', { name: 'Find out why' }).click()
  await page.getByText('No block has this transaction').waitFor()
  await page.getByRole('link', { name: /^Buy [\d,]+ Energy for this wallet$/ }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  expect(decodeURIComponent(page.url())).toContain(`/buy?energy=`)
  expect(decodeURIComponent(page.url())).toContain(`receiver=${receiver()}`)
  expect(complaints).toEqual([])
  await page.close()
})

for (const path of ['/', '/sign-in', '/sign-up', '/confirm', '/forgot', '/reset']) {
  test(`${path} is fit to be met first`, async () => {
    const complaints: string[] = []
    const page = await newTab(await browser.newContext(), complaints)
    await page.goto(app.url + path)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 })
        await page.getByRole('heading', { level: 1 }).waitFor()
        await saveScreenshot(
          page,
          `workspace${path.replace(/^\/$/, '/front').replace('/', '-')}-${width}-${colorScheme}`,
        )
        expect(await sideways(page)).toBe(0)
        expect(await seriousFindings(page)).toEqual([])
      }
    }
    expect(complaints).toEqual([])
    await page.close()
  })
}
