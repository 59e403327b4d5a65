// Proves: orders, account, webhooks.
import { statSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
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
const write = (text: string) => writeFileSync(join(sandbox.folder, 'addresses.txt'), text)
const json = async (args: string) => JSON.parse((await ergon(`${args} --json`)).out)

test('balance and estimate', async () => {
  const { code, out } = await ergon('balance')
  expect([code, out]).toEqual([
    0,
    `Balance              1,000 TRX\nCan be spent         1,000 TRX\nHeld for AutoEnergy  0 TRX\nDeposit address      ${demo.deposit_address}\n`,
  ])
  const { total_price_sun, total_price_trx } = await json('estimate 65000')
  expect(total_price_sun / 1e6).toBe(Number(total_price_trx))
  expect((await ergon('estimate 65,000')).out).toBe(
    `65,000 Energy for 1 hour: ${total_price_trx} TRX\n`,
  )
  const few = await ergon('estimate 5')
  expect([few.code, few.out]).toEqual([
    1,
    expect.stringMatching(/^It cannot be ordered: 32,000 to /m),
  ])
})

test('buy --wait shows how it goes and ends with the order', async () => {
  const { code, out, err } = await ergon(`buy ${to} 65000 --wait`)
  expect(code).toBe(0)
  const [, id] = /^Order (\S{36}): COMPLETED$/m.exec(out) ?? []
  expect(out).toContain(`65,000 Energy for ${to}, `)
  expect(out).toMatch(/^Delegated by [0-9a-f]{64}$/m)
  expect(err).toMatch(new RegExp(`^Order ${id}: (PENDING|PROCESSING|COMPLETED)$`, 'm'))
  expect((await ergon(`orders ${id}`)).out).toBe(out)
  const [headers, row] = (await ergon('orders')).out.split('\n')
  expect(headers).toMatch(/^When +Order +Status +Energy +Price +For$/)
  expect(row).toMatch(new RegExp(`${id}  COMPLETED  65,000  .* TRX  ${to}`))
  // In the time zone of the terminal.
  const { created_at } = await json(`orders ${id}`)
  const there = new Date(Date.parse(created_at) + 9 * 3_600_000).toISOString()
  expect(row).toContain(there.slice(0, 19).replace('T', ' '))
  expect(await json(`orders --to ${sandbox.market.receivers[5]}`)).toEqual([])
})

test('quote holds a price, and buy --quote pays it once', async () => {
  const { id, price_sun } = await json('quote 65000')
  const shown = await ergon('quote 65000')
  expect(shown.out).toMatch(/^65,000 Energy for 1 hour: .* TRX\nHeld until .* --quote \S{36}\n$/)
  expect((await json(`buy ${to} 65000 --quote ${id}`)).total_price_sun).toBe(price_sun)
  const again = await ergon(`buy ${to} 65000 --quote ${id}`)
  expect([again.code, again.err]).toEqual([1, expect.stringContaining('(quote_invalid)')])
})

test('buy --file buys for each address of a file, or for none', async () => {
  const other = sandbox.market.receivers[2]
  write(`# wages\n${to}\n${other} 131,000\n\n`)
  const { code, out } = await ergon('buy --file addresses.txt 65000 --all --idempotency-key wages')
  expect([code, out]).toEqual([0, expect.stringMatching(/^2 of 2 bought for .* TRX\.$/m)])
  expect(out).toMatch(new RegExp(`^${other}  131,000  .* TRX  \\S{36}$`, 'm'))
  // The same keys buy nothing again, in either mode.
  for (const mode of ['', ' --all']) {
    const again = await ergon(`buy --file addresses.txt 65000 --idempotency-key wages${mode}`)
    expect([again.code, again.out]).toEqual([0, out])
    expect(again.err).toBe('Idempotency key: wages\n')
  }
  write(`${to}\nnobody\n`)
  const wrong = await ergon('buy --file addresses.txt 65000 --all')
  expect([wrong.code, wrong.out]).toEqual([1, expect.stringMatching(/^0 of 2 bought/m)])
  expect(wrong.out).toMatch(/^nobody +65,000 +- +The receiver is not a TRON address/m)
  const lines = await ergon('buy --file addresses.txt')
  expect([lines.code, lines.err]).toEqual([2, expect.stringContaining('line 1')])
})

test('buy --file shows what was bought before a call that was refused', async () => {
  // The body of the second call is too large.
  write(`${'nobody\n'.repeat(100)}${'T'.repeat(2_000_000)}\n`)
  const { code, out, err } = await ergon('buy --file addresses.txt 65000')
  expect([code, out]).toEqual([1, expect.stringMatching(/^0 of 100 bought/m)])
  expect(err).toMatch(/^Idempotency key: \S{36}\n/)
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
    return body.total === 6
  })
  await market.advance(150)
  const { code, out } = await buying
  expect([code, out]).toEqual([1, expect.stringMatching(/^Order \S{36}: FAILED\n/)])
  await market.provider({ behaviour: 'ok' })
})

test('deposits show what came in and where to send more', async () => {
  const { out } = await ergon('deposits')
  expect(out).toMatch(/^\S+ \S+ {2}confirmed {2}1,000 TRX {2}[0-9a-f]{64}$/m)
  expect(out).toContain(`Send TRX to ${demo.deposit_address}.\n`)
})

test('transactions show every change of the balance', async () => {
  const { out } = await ergon('transactions --limit 50')
  expect(out).toMatch(/^When +Kind +Amount +Balance after +About\n/)
  expect(out).toMatch(/ purchase +-[\d.]+ TRX +[\d.]+ TRX +65000 Energy for T/)
  expect((await json('transactions --limit 1'))[0]).toHaveProperty('amount_sun')
})

test('status says where it looks, and whether service and key are well', async () => {
  const { code, out } = await ergon('client status')
  expect(code).toBe(0)
  expect(out).toMatch(/^Address +http.*sandbox\.json\)\nService +ready\nKey +accepted\n/)
  const wrong = await ergon('client status --key erg_wrong')
  expect([wrong.code, wrong.out]).toEqual([1, expect.stringMatching(/^Key +.*\(\w+\)$/m)])
})

test('login keeps address and key for its owner alone, and every command uses them', async () => {
  const { api_key } = await sandbox.market.fundedAccount('7')
  const elsewhere = { DATA_DIR: 'elsewhere' }
  const url = sandbox.file.web_url
  const refused = await ergon(`login --url ${url} --key erg_wrong`, elsewhere)
  expect(refused.code).toBe(1)
  expect((await ergon('balance', elsewhere)).code).toBe(2)
  const entered = await ergon(`login --url ${url} --key ${api_key}`, elsewhere)
  expect([entered.code, entered.err]).toEqual([0, ''])
  expect(entered.out).not.toContain(api_key)
  expect(statSync(join(sandbox.folder, 'config/ergon/login.json')).mode & 0o777).toBe(0o600)
  expect((await ergon('balance', elsewhere)).out).toMatch(/^Balance +7 TRX$/m)
  // A sandbox's folder comes first.
  expect((await ergon('balance')).out).not.toMatch(/^Balance +7 TRX$/m)
  expect((await ergon('logout')).code).toBe(0)
})

test('keys are made and revoked by the person who signs in', async () => {
  const made = await json('keys add --name shop')
  expect((await ergon('keys')).out).toMatch(
    new RegExp(`^${made.id} +…${made.last_four} +shop `, 'm'),
  )
  expect((await ergon(`balance --key ${made.api_key}`)).code).toBe(0)
  expect((await ergon(`keys revoke ${made.id}`)).out).toBe(`${made.id} is revoked.\n`)
  await until('it is dead', async () => (await ergon(`balance --key ${made.api_key}`)).code === 1)
  const wrong = await ergon('keys --email demo@ergon.example', { ERGON_PASSWORD: 'not this one' })
  expect([wrong.code, wrong.out]).toEqual([1, ''])
})

test('webhooks are added, tested, switched and removed', async () => {
  expect((await ergon('webhooks')).out).toBe('No webhooks yet.\n')
  const sink = (await sandbox.market.call('POST', '/sandbox/webhook-sink')).body
  const made = await json(`webhooks add ${sink.url} --name till --events balance.changed`)
  expect(made).toMatchObject({ events: { 'balance.changed': true }, status: 'active' })
  expect((await ergon(`webhooks test ${made.id}`)).out).toMatch(/^Your server took delivery /)
  expect((await ergon(`webhooks deliveries ${made.id}`)).out).toMatch(/^When +Event +Status/)
  expect((await ergon(`webhooks disable ${made.id}`)).out).toMatch(/ disabled/)
  expect((await ergon(`webhooks enable ${made.id}`)).out).toMatch(/ active +till /)
  expect((await json(`webhooks rotate ${made.id}`)).signing_secret).not.toBe(made.signing_secret)
  expect((await ergon(`webhooks delete ${made.id}`)).out).toBe(`${made.id} is removed.\n`)
})

test('sandbox: clock, chain, faucet and faults', async () => {
  const before = await json('sandbox')
  const after = await json('sandbox advance 5m')
  expect(Date.parse(after.now)).toBeGreaterThanOrEqual(Date.parse(before.now) + 300_000)
  expect((await ergon('sandbox mine 2')).out).toMatch(/^The chain is at block [\d,]+\.\n$/)
  expect((await ergon('sandbox faucet --trx 3')).out).toContain(
    `3 TRX sent to ${demo.deposit_address}`,
  )
  expect((await ergon('sandbox fault')).out).toMatch(/^own_stake +ok /m)
  expect((await ergon('sandbox fault own_stake late')).out).toMatch(/^own_stake +late /m)
  expect((await ergon('sandbox fault own_stake ok')).out).toMatch(/^own_stake +ok /m)
  const none = await ergon('sandbox fault nobody ok')
  expect([none.code, none.out]).toEqual([1, ''])
})

test('open prints the address that it opens', async () => {
  const opened = await ergon('open docs', { BROWSER: 'true' })
  expect([opened.code, opened.out]).toEqual([0, `Opened ${sandbox.file.web_url}/docs\n`])
  const without = await ergon('open', { BROWSER: 'no-such-browser' })
  expect(without.out).toBe(`Open ${sandbox.file.web_url}/ in a browser.\n`)
})

test('AutoEnergy: cover an address, look at it, stop', async () => {
  const address = sandbox.market.receivers[3]!
  expect((await ergon('autoenergy')).out).toBe('No address is covered.\n')
  const options = '--idle-hours 48 --quota 10 --daily-budget 5 --monthly-budget none'
  const [added] = await json(`autoenergy add ${address} ${options}`)
  const budgets = { daily_budget_trx: '5', monthly_budget_trx: null }
  expect(added).toMatchObject({ address, idle_hours: 48, quota_max_tx: 10, ...budgets })
  const shown = (await ergon(`autoenergy show ${address}`)).out
  expect(shown).toMatch(/standard {2}0 of 10 transfers/)
  expect(shown).toMatch(/TRX forecast for the month, 0 of 5 TRX today/)
  expect((await ergon(`autoenergy billing ${address}`)).out).toContain('autoenergy_activate')
  expect((await ergon(`autoenergy usage ${address}`)).out).toBe('No covered transfers yet.\n')
  await until(
    'it can be closed',
    async () => (await ergon(`autoenergy close ${address}`)).code === 0,
  )
  expect((await ergon('autoenergy list')).out).toContain('closed (manual)')
  expect((await ergon(`autoenergy delete ${address}`)).out).toBe(`${address} is off the list.\n`)
})

test('autoenergy add covers each of several addresses, and those of a file', async () => {
  const [one, two] = sandbox.market.receivers.slice(6, 8)
  const { code, out } = await ergon(`autoenergy add ${one} nobody --idle-hours 48`)
  expect([code, out]).toEqual([1, expect.stringMatching(/^1 of 2 addresses are covered now\.$/m)])
  expect(out).toMatch(new RegExp(`^${one}  pending_activation +10 TRX$`, 'm'))
  expect(out).toMatch(/^nobody +address is not a TRON address/m)
  write(`# hot wallets\n${one}, old\n${two}\n`)
  const { results } = JSON.parse((await ergon('autoenergy add --file addresses.txt --json')).out)
  const statuses = results.map(({ status }: { status: number }) => status)
  expect(statuses).toEqual([409, 201])
  write('# nothing yet\n')
  const none = await ergon('autoenergy add --file addresses.txt')
  expect([none.code, none.err]).toEqual([2, expect.stringContaining('has no addresses')])
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
  const { receivers, devnet, call } = sandbox.market
  const less = { from: receivers[0], to: config.address, amount_sun: 1_000_000 }
  await call('POST', '/sandbox/chain/transfer', { body: less })
  const shown = await until('a payment', async () => {
    devnet.chain.mine()
    const { out } = await ergon('agent payments')
    return out.includes('skipped (below_base)') && out
  })
  const [payment] = await json('agent payments')
  // What `agent deliver` asks for.
  expect(shown).toContain(payment.id)
  const kept = await ergon(`agent delete ${config.id}`)
  expect([kept.code, kept.err]).toEqual([1, expect.stringContaining('(generated_not_deletable)')])
})

test('a refusal is a sentence with its code, and exit code 1', async () => {
  await ergon('sandbox fault own_stake down')
  const unsold = await ergon(`buy ${to} 65000`)
  expect([unsold.code, unsold.err]).toEqual([
    1,
    expect.stringMatching(/^.*\(service_unavailable\)\n$/),
  ])
  await ergon('sandbox fault own_stake ok')
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
  ['webhooks dance', '"dance" is not something that webhooks do.'],
  ['sandbox advance soon', '"soon" is not a duration such as 90s'],
  ['sandbox fault own_stake fial', '"fial" is no behaviour. Did you mean fail?'],
  ['open dosc', 'There is no page "dosc". Did you mean docs?'],
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

test('listen says at once what it does, forwards, and keeps webhook and secret for the next run', async () => {
  const got: Got[] = []
  const shop = await openShop(got)
  const url = `http://127.0.0.1:${(shop.address() as AddressInfo).port}/hook`
  const first = await listenTo(url)
  expect(first.out()).toMatch(
    /^Forwarding events of http\S+ to http\S+, signed\. Ctrl-C stops it\.\n/,
  )
  const { order_id } = await json(`buy ${to} 65000`)
  const { headers, body } = await until('the event', () => got[0])
  const event = await verifyWebhook({ headers, body, secret: first.secret })
  expect(event).toMatchObject({ type: 'balance.changed', data: { reference_id: order_id } })
  await until('it says so', () => first.out().includes('balance.changed -> 204'))
  first.stop('SIGINT')
  expect(await first.ended).toBe(0)
  const [hook] = await json('webhooks')
  expect(hook).toMatchObject({ name: 'ergon listen', status: 'disabled' })
  const file = join(sandbox.folder, 'config/ergon/listen.json')
  expect(statSync(file).mode & 0o777).toBe(0o600)

  const again = await listenTo(url)
  expect(again.secret).toBe(first.secret)
  expect(await json('webhooks')).toMatchObject([{ id: hook.id, status: 'active' }])
  await json(`buy ${to} 65000`)
  await until('the next event', () => got.length === 2)
  expect(again.err()).toBe('')
  const rotate = { key: demo.api_key, body: { overlap_hours: 0 } }
  await sandbox.market.call('POST', `/v1/webhooks/${hook.id}/rotate-secret`, rotate)
  await json(`buy ${to} 65000`)
  await until('it says that its secret verifies nothing any more', () =>
    again
      .err()
      .includes(
        `The secret of this webhook was changed. For a new one: npx ergon webhooks delete ${hook.id}`,
      ),
  )
  again.stop('SIGINT')
  expect(await again.ended).toBe(0)
  shop.close()
})

async function listenTo(url: string) {
  const listening = sandbox.start('ergon', ['listen', url, '--events', 'balance.changed'])
  const secret = await until('the secret', () => /secret: (\S+)\n/.exec(listening.out())?.[1])
  return { ...listening, secret }
}
