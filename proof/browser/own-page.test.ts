// Proves: agent, http.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { toBase58 } from '@ergon/tron'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AgentConfig, type AgentMarket, BASE, openAgentMarket } from '../testing/agent.ts'
import { openBrowser } from '../testing/browser.ts'

// A pay page of a client's own, on another origin: it reads the offer and the prices, and follows a payment.

let market: AgentMarket
let browser: Browser
let site: Server
let config: AgentConfig
beforeAll(async () => {
  market = await openAgentMarket({ blockMs: 300 })
  browser = await openBrowser()
  config = await market.newConfig(await market.fundedAccount('200'), { title: 'Corner shop' })
  site = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' })
    response.end(ownPage())
  })
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
})
afterAll(async () => {
  await browser?.close()
  await new Promise((resolve) => site?.close(resolve))
  await market?.close()
})

/** The header that no simple request has makes the browser ask by OPTIONS first. */
function ownPage(): string {
  const payer = toBase58(market.devnet.chain.network.funded[0]!.address)
  return `<!doctype html><title>Own page</title><pre id="offer"></pre><pre id="prices"></pre>
<pre id="missing"></pre><pre id="account"></pre><pre id="live"></pre>
<script type="module">
const api = ${JSON.stringify(`${market.url}/v1`)}
const show = (id, value) => { document.getElementById(id).textContent = JSON.stringify(value) }
const read = async (path, options) => (await fetch(api + path, options)).json()
show('offer', await read('/pay/${config.public_id}'))
show('prices', await read('/public/pricing', { headers: { 'content-type': 'application/json' } }))
show('missing', await read('/pay/nothing'))
show('account', await read('/account').catch((error) => error.name))
const live = new EventSource(api + '/pay/${config.public_id}/live?payer=${payer}')
live.onmessage = ({ data }) => show('live', JSON.parse(data))
</script>`
}

test('a page of another origin shows the offer and the prices, and follows a payment to its end', async () => {
  const page = await browser.newPage()
  await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`)
  const shown = async (id: string, words: string) => {
    const element = page.locator(`#${id}`, { hasText: words })
    await element.waitFor()
    return JSON.parse((await element.textContent())!)
  }
  expect(await shown('offer', 'available')).toMatchObject({
    title: 'Corner shop',
    address: config.address,
    available: true,
  })
  expect((await shown('prices', 'schedule')).schedule).toHaveLength(24)
  expect((await shown('missing', 'detail')).detail.error).toBe('not_found')
  // What needs a key is not for pages of other origins: the browser keeps the answer from them.
  expect(await shown('account', 'Error')).toBe('TypeError')
  const txid = await market.pay(config, BASE)
  expect(await shown('live', 'completed')).toMatchObject({ tx_hash: txid, units: 1 })
})
