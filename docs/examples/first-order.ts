// Buys Energy in the sandbox and verifies the webhook that tells how the order ended.
// Start the sandbox with `npm start`, then run `npx node docs/examples/first-order.ts`.
import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { Ergon, verifyWebhook } from '@ergon/sdk'

const sandbox = JSON.parse(readFileSync('.data/sandbox.json', 'utf8'))
const ergon = new Ergon({ baseUrl: sandbox.base_url, apiKey: sandbox.accounts[0].api_key })

// A public https server would do, and `npx ergon listen` for one on this machine; the sandbox lends one.
const sinks = `${sandbox.sandbox_url}/webhook-sink`
const sink = JSON.parse(await (await fetch(sinks, { method: 'POST' })).text())
const hook = await ergon.webhooks.create({ name: 'first order', url: sink.url })

const receiver_address = sandbox.funded_keys[0].address
console.log('Bought:', await ergon.buy({ receiver_address, resource_amount: 65_000 }))

const got = async () => JSON.parse(await (await fetch(`${sinks}/${sink.id}`)).text()).deliveries
while ((await got()).length === 0) await pause(250)
const [{ headers, raw_body: body }] = await got()
console.log('Verified:', await verifyWebhook({ secret: hook.signing_secret, headers, body }))
await ergon.webhooks.delete(hook.id)
