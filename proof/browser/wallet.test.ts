import { createOTP } from '@better-auth/utils/otp'
import { addressOfPrivateKey, signMessageV2, toBase58 } from '@ergon/tron'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBrowser, saveScreenshot } from '../testing/browser.ts'
import { openTestHouse, type TestHouse } from '../testing/house.ts'
import { fromBase32 } from '../testing/otp.ts'
import { buildPages, seriousFindings } from '../testing/pages.ts'
import { PASSWORD, signUp } from '../testing/visitor.ts'

const KEY = 'e'.repeat(64)
const ADDRESS = toBase58(addressOfPrivateKey(KEY))

let house: TestHouse
let browser: Browser
beforeAll(async () => {
  buildPages()
  house = await openTestHouse()
  browser = await openBrowser()
})
afterAll(async () => {
  await browser?.close()
  await house?.close()
})

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
  const ada = await signUp(house.url)
  const { nonce, message } = (await ada.call('POST', '/wallet/challenge', { address: ADDRESS }))
    .body
  await ada.call('POST', '/wallet', { nonce, signature: signMessageV2(message, KEY) })

  const page = await withTronLink()
  await page.goto(`${house.url}/sign-in`)
  await page.getByRole('button', { name: 'Continue with TronLink' }).click()
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.waitForURL('**/sign-in')

  const begun = await ada.call('POST', '/session/totp', { password: PASSWORD })
  const otp = createOTP(fromBase32(new URL(begun.body.uri).searchParams.get('secret')!))
  await ada.call('POST', '/session/totp/confirm', { code: await otp.totp() })
  await page.getByRole('button', { name: 'Continue with TronLink' }).click()
  await page.getByRole('heading', { name: 'Your second step' }).waitFor()
  await saveScreenshot(page, 'workspace-second-step-390-light')
  expect(await seriousFindings(page)).toEqual([])
  await page.getByLabel('Code').fill(await otp.totp())
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
})
