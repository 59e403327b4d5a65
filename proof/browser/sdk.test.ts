// Proves: pricing, http.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBrowser } from '../testing/browser.ts'
import { type Market, openMarket } from '../testing/market.ts'

// The SDK's public calls in a page of another origin and in a worker of it, from the bundle that the package has.

const SDK = join(import.meta.dirname, '../../sdk/index.ts')

let market: Market
let browser: Browser
let site: Server
beforeAll(async () => {
  market = await openMarket({ blockMs: 200 })
  browser = await openBrowser()
  const bundle = await rolldown({
    input: SDK,
    platform: 'neutral',
    transform: { target: 'es2022' },
  })
  const { output } = await bundle.generate({ format: 'esm' })
  await bundle.close()
  const files: Record<string, [string, string]> = {
    '/sdk.js': ['text/javascript', output[0].code],
    '/worker.js': ['text/javascript', `${work()}\npostMessage(await result)`],
    '/': ['text/html', `<!doctype html><title>Own page</title>`],
  }
  site = createServer((request, response) => {
    const [type, body] = files[request.url!] ?? ['text/plain', '']
    response.writeHead(200, { 'content-type': type }).end(body)
  })
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
})
afterAll(async () => {
  await browser?.close()
  await new Promise((resolve) => site?.close(resolve))
  await market?.close()
})

/** Prices, a refusal with its code, and a signature, which needs the browser's own cryptography. */
function work(): string {
  return `const { Ergon, signWebhook, verifyWebhook } = await import('/sdk.js')
const ergon = new Ergon({ baseUrl: ${JSON.stringify(`${market.url}/v1`)} })
const result = (async () => {
  const { min_amount } = await ergon.public.pricing()
  const code = await ergon.public.payPage('nothing').catch((error) => error.code)
  const signed = await signWebhook({ secret: 's', event: { type: 'a', data: { a_sun: 1n } } })
  const { data } = await verifyWebhook({ ...signed, secret: 's' })
  return { min_amount, code, sun: String(data.a_sun) }
})()`
}

const EXPECTED = { min_amount: 32_000, code: 'not_found', sun: '1' }

test('public calls work in a page of another origin, and in a worker', async () => {
  const page = await browser.newPage()
  await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`)
  expect(await page.evaluate(`(async () => { ${work()}; return result })()`)).toEqual(EXPECTED)
  const inWorker = `new Promise((resolve, reject) => {
    const worker = new Worker('/worker.js', { type: 'module' })
    worker.onmessage = ({ data }) => resolve(data)
    worker.onerror = ({ message }) => reject(new Error(message))
  })`
  expect(await page.evaluate(inWorker)).toEqual(EXPECTED)
})
