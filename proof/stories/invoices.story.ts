// Proves: account, ledger, books, operator, orders.
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { renderInvoice } from '../../service/app/invoicePage.ts'
import { systemClock } from '../../service/kernel/index.ts'
import { runInvoices } from '../../service/operator/index.ts'
import { brokenInvariants } from '../testing/invariants.ts'
import { flatSchedule, type Market, openMarket } from '../testing/market.ts'
import { openOperator } from '../testing/operator.ts'
import { until } from '../testing/until.ts'
import { accountOf, signUpWithoutLetter, type Visitor } from '../testing/visitor.ts'

// A client buys in one month and reads its invoice in the next one: as the ledger and the books have it, with a number that
// stays, and nothing of anybody else.

const MINUTE_S = 60
const ISSUER = {
  name: 'Ergon Ltd',
  address: 'Harbour 1\nOld Town',
  registration: 'HRB 4711',
  taxNumber: 'XX123',
  email: 'money@example.com',
  note: 'Paid in advance.',
}
const why = 'a test of invoices'
let market: Market
let ann: Visitor & { email: string }
let ben: Visitor
let account: string
beforeAll(async () => {
  market = await openMarket({ issuer: ISSUER })
  await market.settings({ schedule: flatSchedule(30) })
  ann = await openOperator(market, 'ann@example.com')
  ben = await signUpWithoutLetter(market)
  const own = await accountOf(market, ben)
  account = own.account_id
  market.devnet.chain.mine()
  await until('the deposit', async () => (await market.balanceSun(own)) > 0n)
  await bought(own, 'COMPLETED')
})
afterAll(async () => {
  expect(await brokenInvariants(market.database)).toEqual([])
  await market.close()
})

async function bought(of: Parameters<Market['buy']>[0], status: string) {
  const { order_id } = (await market.buy(of)).body
  await until(`the order is ${status}`, async () => {
    await market.mineWhenRead()
    return (await market.get(of, `/order/${order_id}`)).body.status === status
  })
}
const now = async () => new Date((await market.call('GET', '/sandbox/clock')).body.now)
const monthOf = (at: Date) => at.toISOString().slice(0, 7)
/** To eleven minutes after the end of the month. */
async function endMonth(): Promise<string> {
  const at = await now()
  const end = Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1)
  await market.advance(Math.ceil((end - at.getTime()) / 1_000) + 11 * MINUTE_S)
  return monthOf(at)
}
const read = async (visitor: Visitor, path: string) => {
  const answer = await visitor.call('GET', path)
  expect([path, answer.status]).toEqual([path, 200])
  return answer
}

let month: string
test('the running month is a preview without a number', async () => {
  month = monthOf(await now())
  await ann.call('POST', `/accounts/${account}/adjustments`, { amount_trx: '0.5', why })
  expect((await read(ben, '/invoices')).body).toEqual({
    has_issuer: true,
    invoices: [{ month, state: 'preview', number: null, issued_at: null, total_trx: '1.45' }],
  })
  const page = (await read(ben, `/invoices/${month}/page`)).whole
  expect(page).toContain('This is a preview: the month goes on.')
})

test('a month that is over has a number, and says what ledger and books say', async () => {
  await ben.call('PATCH', '/particulars', {
    name: '=Ben & Sons <script>alert(1)</script>',
    address: '"><img src=x onerror=alert(1)>\r\n\r\n Town',
    tax_number: '@SUM(A1)',
  })
  expect(await endMonth()).toBe(month)
  // An operator looks first: that gives no number.
  const looked = await ann.call('GET', `/accounts/${account}/invoices`)
  expect(looked.body.invoices).toMatchObject([
    { state: 'preview' },
    { month, state: 'due', number: null },
  ])

  const { invoices } = (await read(ben, '/invoices')).body
  expect(invoices).toMatchObject([
    { state: 'preview', total_trx: '0' },
    { month, state: 'issued', number: 'INV-000001', total_trx: '1.45' },
  ])
  const { body } = await read(ben, `/invoices/${month}`)
  expect(body).toMatchObject({
    issuer: { name: 'Ergon Ltd', tax_number: 'XX123' },
    products: [
      { product: 'API', total_trx: '1.95', lines: [{ line: 'api_purchases', amount_trx: '1.95' }] },
      { product: 'Adjustments', lines: [{ line: 'adjustments', amount_trx: '-0.5' }] },
    ],
    account: {
      opening_trx: '0',
      lines: [{ line: 'deposits', count: 1, amount_trx: '50' }],
      charged_trx: '-1.45',
      closing_trx: '48.55',
    },
  })
  const range = { from: body.from, to: monthOf(await now()).concat('-01') }
  const { rows } = await market.rooms.books.report(range, ['client', 'month'])
  const { revenue, refunds, goodwill } = rows.find(({ client }) => client === account)!
  expect(revenue - refunds - goodwill).toBe(1_450_000n)
})

test('what somebody typed is words on the page and in the table', async () => {
  const page = await read(ben, `/invoices/${month}/page`)
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
  const policy = page.headers.get('content-security-policy')!
  expect(policy).toContain("default-src 'none'")
  expect(policy).not.toContain('unsafe')
  expect(page.whole).not.toMatch(/<script|<img/)
  for (const words of [
    'Ergon Ltd',
    'HRB 4711',
    'XX123',
    'Paid in advance.',
    'INV-000001',
    '1.95',
  ]) {
    expect(page.whole).toContain(words)
  }
  const csv = await read(ben, `/invoices/${month}/csv`)
  expect(csv.headers.get('content-disposition')).toContain('ergon-INV-000001.csv')
  expect(csv.whole).toContain(`'=Ben & Sons`)
  expect(csv.whole).toContain(`'@SUM(A1)`)
  expect(csv.whole).not.toMatch(/(^|,)"?[=@]/m)
  const rows = csv.whole
    .trim()
    .split('\r\n')
    .map((line) => line.split(','))
  expect(rows.map((row) => row.slice(-5))).toEqual([
    ['section', 'line', 'of_month', 'count', 'amount_trx'],
    ['API', 'api_purchases', month, '1', '1.95'],
    ['Adjustments', 'adjustments', month, '1', '-0.5'],
    ['total', 'total', month, '', '1.45'],
    ['account', 'opening_balance', month, '', '0'],
    ['account', 'deposits', month, '1', '50'],
    ['account', 'charged', month, '', '-1.45'],
    ['account', 'closing_balance', month, '', '48.55'],
  ])
})

test('an invoice of somebody else, of another month or of no month is not found', async () => {
  const cleo = await signUpWithoutLetter(market)
  for (const form of ['', '/page', '/csv']) {
    for (const name of [month, '2020-01', '2999-01', 'x', '..%2f..', 'INV-000001', account]) {
      const answer = await cleo.call('GET', `/invoices/${name}${form}`)
      expect([name, answer.status]).toEqual([name, 404])
    }
    const strange = await ann.call(
      'GET',
      `/accounts/${(await cleo.call('GET', '/session')).body.account_id}/invoices/${month}${form}`,
    )
    expect(strange.status).toBe(404)
  }
})

test('operators read it in each form, and a command prints it and issues the others', async () => {
  const base = `/accounts/${account}/invoices`
  expect((await ann.call('GET', `${base}/${month}`)).body).toMatchObject({ number: 'INV-000001' })
  expect((await ann.call('GET', `${base}/${month}/csv`)).whole).toContain('INV-000001')
  expect((await ann.call('GET', `${base}/${month}/page`)).whole).toContain('INV-000001')
  const dora = await signUpWithoutLetter(market)
  const own = await accountOf(market, dora)
  market.devnet.chain.mine()
  await until('the deposit', async () => (await market.balanceSun(own)) > 0n)
  await endMonth()
  const said: string[] = []
  vi.spyOn(console, 'log').mockImplementation((text) => said.push(String(text)))
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => said.push(String(text)) > 0)
  const run = (...args: string[]) =>
    runInvoices(market.rooms, args, {
      clock: { ...systemClock(), now: () => clockNow },
      invoicePage: renderInvoice,
    })
  const clockNow = await now()
  try {
    expect(await run('issue', '--by', 'ann', '--why', why)).toBe(0)
    expect(said.pop()).toBe('1 invoices issued, of 1 accounts.')
    expect(await run('list', own.account_id)).toBe(0)
    expect(said.pop()).toMatch(/0 TRX {2}preview\n.* 0 TRX {2}INV-000002 {2}issued /)
    expect(await run('show', account, month)).toBe(0)
    expect(said.pop()).toContain('Closing balance: 48.55')
    expect(await run('show', account, month, '--html')).toBe(0)
    expect(said.pop()).toContain('<!doctype html>')
    expect(await run('show', account, month, '--csv')).toBe(0)
    expect(said.pop()).toContain('api_purchases')
  } finally {
    vi.restoreAllMocks()
  }
  const issue = await ann.call('POST', base, { why })
  expect([issue.status, issue.body.invoices[1].number]).toEqual([200, 'INV-000001'])
})
