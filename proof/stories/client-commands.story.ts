// Proves: orders, account, webhooks.
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { verifyWebhook } from '@ergon/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openSandboxFolder, type SandboxFolder } from '../testing/sandboxFolder.ts'
import { until } from '../testing/until.ts'

// The client's commands in a terminal, in the folder where the sandbox was started.

let sandbox: SandboxFolder
let to: string
let demo: { api_key: string; deposit_address: string }
beforeAll(async () => {
  sandbox = await openSandboxFolder()
  to = sandbox.market.receivers[1]!
  demo = sandbox.file.accounts[0]!
})
afterAll(() => sandbox.close())

const ergon = (args: string, env?: Record<string, string>) =>
  sandbox.run('ergon', args.split(' '), env)
const json = async (args: string) => JSON.parse((await ergon(`${args} --json`)).out)

test('balance and estimate', async () => {
  const { code, out } = await ergon('balance')
  expect([code, out]).toEqual([
    0,
    `Balance              1000 TRX\nCan be spent         1000 TRX\nHeld for AutoEnergy  0 TRX\nDeposit address      ${demo.deposit_address}\n`,
  ])
  const { total_price_sun, total_price_trx } = await json('estimate 65000')
  expect(total_price_sun / 1e6).toBe(Number(total_price_trx))
  expect((await ergon('estimate 65,000')).out).toBe(
    `65000 Energy for 1 hour: ${total_price_trx} TRX\n`,
  )
  expect((await ergon('estimate 5')).out).toMatch(/^It cannot be ordered: from 32000 to \d+ /m)
})

test('buy --wait shows how it goes and ends with the order', async () => {
  const { code, out, err } = await ergon(`buy ${to} 65000 --wait`)
  expect(code).toBe(0)
  const [, id] = /^Order (\S{36}): COMPLETED$/m.exec(out) ?? []
  expect(out).toContain(`65000 Energy for ${to}, `)
  expect(out).toMatch(/^Delegated by [0-9a-f]{64}$/m)
  expect(err).toMatch(new RegExp(`^Order ${id}: (PENDING|PROCESSING|COMPLETED)$`, 'm'))
  expect((await ergon(`orders ${id}`)).out).toBe(out)
  expect((await ergon('orders')).out).toMatch(new RegExp(`${id}  COMPLETED  65000  .* TRX  ${to}`))
  expect(await json(`orders --to ${sandbox.market.receivers[5]}`)).toEqual([])
})

test('an idempotency key buys once', async () => {
  const bought = await json(`buy ${to} 65000 --idempotency-key twice`)
  expect(await json(`buy ${to} 65000 --idempotency-key twice`)).toEqual(bought)
})

test('an order that fails is exit code 1', async () => {
  const { market } = sandbox
  await market.provider({ behaviour: 'fail' })
  const buying = ergon(`buy ${to} 65000 --wait`)
  await until('the order', async () => {
    const { body } = await market.call('GET', '/v1/orders', { key: demo.api_key })
    return body.total === 3
  })
  await market.advance(150)
  const { code, out } = await buying
  expect([code, out]).toEqual([1, expect.stringMatching(/^Order \S{36}: FAILED\n/)])
  await market.provider({ behaviour: 'ok' })
})

test('deposits show what came in and where to send more', async () => {
  const { out } = await ergon('deposits')
  expect(out).toMatch(/^\S+Z {2}confirmed {2}1000 TRX {2}[0-9a-f]{64}$/m)
  expect(out).toContain(`Send TRX to ${demo.deposit_address}.\n`)
})

test('AutoEnergy: cover an address, look at it, stop', async () => {
  const address = sandbox.market.receivers[3]!
  expect((await ergon('autoenergy')).out).toBe('No address is covered.\n')
  const [added] = await json(`autoenergy add ${address} --idle-hours 48 --quota 10`)
  expect(added).toMatchObject({ address, idle_hours: 48, quota_max_tx: 10 })
  expect((await ergon(`autoenergy show ${address}`)).out).toMatch(/standard {2}0 of 10 transfers/)
  expect((await ergon(`autoenergy billing ${address}`)).out).toContain('autoenergy_activate')
  expect((await ergon(`autoenergy usage ${address}`)).out).toBe('No covered transfers yet.\n')
  await until(
    'it can be closed',
    async () => (await ergon(`autoenergy close ${address}`)).code === 0,
  )
  expect((await ergon('autoenergy list')).out).toContain('closed (manual)')
  expect((await ergon(`autoenergy delete ${address}`)).out).toBe(`${address} is off the list.\n`)
})

test('agent: a configuration from its making to its pause', async () => {
  expect((await ergon('agent')).out).toMatch(/^Sales +0, 0 Energy$/m)
  const { cost_max_sun } = await json('agent quote 65000')
  const price = (cost_max_sun + 1_000_000) / 1e6
  const [config] = await json(`agent create --energy 65000 --price ${price} --title Shop`)
  expect(config).toMatchObject({ mode: 'generated', status: 'active', title: 'Shop', max_units: 1 })
  expect((await ergon(`agent pause ${config.id}`)).out).toContain('paused (user)')
  expect((await ergon(`agent resume ${config.id}`)).out).toContain('active')
  expect((await ergon('agent configs')).out).toContain(`/pay/${config.public_id}`)
  expect((await ergon('agent payments')).out).toBe('Nobody has paid yet.\n')
  const kept = await ergon(`agent delete ${config.id}`)
  expect([kept.code, kept.err]).toEqual([1, expect.stringContaining('(generated_not_deletable)')])
})

test('a refusal is a sentence with its code, and exit code 1', async () => {
  const poor = await sandbox.market.newAccount()
  const { code, out, err } = await ergon(`buy ${to} 65000`, { ERGON_KEY: poor.api_key })
  expect([code, out]).toEqual([1, ''])
  expect(err).toMatch(/\(insufficient_balance\)\n$/)
  expect((await ergon('orders nonsense')).err).toMatch(
    /^No such order on this account.* \(order_not_found\)\n$/,
  )
})

test.each([
  ['estimate', 'ENERGY is missing.'],
  ['estimate 65000 1h', '"1h" is one word too many.'],
  ['estimate many', 'ENERGY has to be a whole number above 0, and "many" is none.'],
  ['buy T 65000 --max-price cheap', '--max-price has to be an amount of TRX'],
  ['balance --colour', 'There is no option --colour here.'],
  ['balance --key a\tb', 'The API key has a space or a line break in it. Copy it again.'],
  ['autoenergy dance', '"dance" is not something AutoEnergy does.'],
  ['agent create', 'A configuration needs --energy and --price.'],
  ['listen nowhere', '"nowhere" is not an address'],
  ['balance --url ftp://here', '"ftp://here" is not an address'],
  // The sandbox's key is used for the sandbox only.
  ['balance --url http://127.0.0.1:9', 'Which key for http://127.0.0.1:9/v1?'],
])('ergon %s is wrong: %s', async (args, sentence) => {
  const { code, out, err } = await ergon(args)
  expect([code, out, err]).toEqual([2, '', expect.stringContaining(sentence)])
})

test('outside a sandbox it asks where Ergon is', async () => {
  const { code, err } = await ergon('balance', { DATA_DIR: 'elsewhere' })
  expect([code, err]).toEqual([2, expect.stringMatching(/^Where is Ergon\? Give --url/)])
})

test('no answer is exit code 3, and says how to buy once all the same', async () => {
  const { code, err } = await ergon(`buy ${to} 65000 --url http://127.0.0.1:9 --key erg_x`)
  expect(code).toBe(3)
  expect(err).toMatch(/Is the service running.*\nAsk again with --idempotency-key sdk-\w+: it buys/)
})

type Got = { headers: IncomingHttpHeaders; body: string }

async function openShop(got: Got[]): Promise<Server> {
  const shop = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    got.push({ headers: request.headers, body })
    response.writeHead(204).end()
  })
  await new Promise<void>((resolve) => shop.listen(0, '127.0.0.1', resolve))
  return shop
}

test('listen forwards what happens, signed, and removes its webhook when stopped', async () => {
  const got: Got[] = []
  const shop = await openShop(got)
  const url = `http://127.0.0.1:${(shop.address() as AddressInfo).port}/hook`
  const listening = sandbox.start('ergon', ['listen', url, '--events', 'balance.changed'])
  const secret = await until('the secret', () => /secret: (\S+)\n/.exec(listening.out())?.[1])
  const { order_id } = await json(`buy ${to} 65000`)
  const { headers, body } = await until('the event', () => got[0])
  const event = await verifyWebhook({ headers, body, secret })
  expect(event).toMatchObject({ type: 'balance.changed', data: { reference_id: order_id } })
  await until('it says so', () => listening.out().includes('balance.changed -> 204'))
  listening.stop('SIGINT')
  expect(await listening.ended).toBe(0)
  const { body: left } = await sandbox.market.call('GET', '/v1/webhooks', { key: demo.api_key })
  expect(left.webhooks).toEqual([])
  expect(got).toHaveLength(1)
  shop.close()
})
