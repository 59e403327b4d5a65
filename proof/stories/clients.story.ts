// Proves: identity, operator, orders, deposits, http.
import { routes } from '@ergon/contract'
import { toBase58 } from '@ergon/tron'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestApp, type TestAccount, type TestApp } from '../testing/app.ts'
import { openOperator } from '../testing/operator.ts'
import { SOLID_LAG } from '../testing/solidLag.ts'
import { until } from '../testing/until.ts'
import type { Visitor } from '../testing/visitor.ts'

// What operators decide about a client, on two nodes.

let app: TestApp
let second: TestApp
let ann: Visitor & { email: string }
let client: TestAccount
beforeAll(async () => {
  app = await openTestApp()
  const { database, devnet } = app
  second = await openTestApp({ database, devnet, role: 'api' })
  ann = await openOperator(app, 'ann@example.com')
  client = await app.newAccount()
})
afterAll(async () => {
  await second.close()
  await app.close()
})

const why = 'a test of clients'
const at = (path: string) => `/accounts/${client.account_id}${path}`
const get = (path: string) => app.call('GET', `/v1${path}`, { key: client.api_key })
const lastAction = async () => (await ann.call('GET', '/actions?limit=1')).body.actions[0]

test('an account is moved into a group and out of it, with the groups before in the log', async () => {
  const made = await ann.call('POST', '/groups', { name: 'resellers', why })
  expect(made.body.groups).toEqual([
    { name: 'resellers', accounts: 0, created_at: expect.any(String) },
  ])
  for (const name of ['resellers', 'none', 'Two Words']) {
    const again = await ann.call('POST', '/groups', { name, why })
    expect([again.status, again.body.detail.error]).toEqual([400, 'validation_error'])
  }
  const moved = await ann.call('POST', at('/group'), { group: 'resellers', why })
  expect(moved.body).toMatchObject({ id: client.account_id, group: 'resellers' })
  expect(await lastAction()).toMatchObject({
    what: 'move_account',
    subject: client.account_id,
    change: { before: null, after: 'resellers' },
  })
  expect(app.rooms.clients.groupOf(client.account_id)).toBe('resellers')
  await until('the other node knows it', async () =>
    second.rooms.clients.groupOf(client.account_id),
  )
  expect((await ann.call('GET', '/accounts?search=resellers')).body.accounts).toHaveLength(1)
  expect((await ann.call('POST', at('/group'), { group: 'nowhere', why })).status).toBe(400)
  const stranger = '/accounts/01980000-0000-7000-8000-000000000000/group'
  expect((await ann.call('POST', stranger, { group: 'resellers', why })).status).toBe(404)
  const out = await ann.call('POST', at('/group'), { group: null, why })
  expect(out.body).toMatchObject({ group: null })
})

test('own limits: the largest order, where the client meets it', async () => {
  const limits = { requests_per_minute: null, unverified_credit_trx: null, max_amount: 100_000 }
  const set = await ann.call('POST', at('/limits'), { ...limits, why })
  expect(set.body.limits).toEqual(limits)
  expect((await get('/account')).body.limits).toEqual(limits)
  expect((await get('/estimate?resource_amount=100001')).body.max_amount).toBe(100_000)
  const receiver_address = toBase58(app.devnet.chain.network.funded[1]!.address)
  const body = { receiver_address, resource_amount: 100_001 }
  const asked = ['/quotes', '/buy'].map((path) =>
    app.call('POST', `/v1${path}`, { key: client.api_key, body }),
  )
  for (const answer of await Promise.all(asked)) {
    expect([answer.status, answer.body.detail]).toMatchObject([
      400,
      { code: 'order_amount_above_maximum', max: 100_000 },
    ])
  }
  const other = await app.newAccount()
  const free = await app.call('GET', '/v1/account', { key: other.api_key })
  expect(free.body.limits).toEqual({
    requests_per_minute: null,
    unverified_credit_trx: null,
    max_amount: null,
  })
  for (const wrong of [{ max_amount: 1 }, { max_amount: 900_000_000 }]) {
    const answer = await ann.call('POST', at('/limits'), { ...limits, ...wrong, why })
    expect([answer.status, answer.body.detail.error]).toEqual([400, 'validation_error'])
  }
  for (const unverified_credit_trx of ['-1', 'x', '1.1234567']) {
    const answer = await ann.call('POST', at('/limits'), { ...limits, unverified_credit_trx, why })
    expect(answer.status).toBe(400)
  }
})

test('own limits: requests a minute, on every node, and back to those of everybody', async () => {
  const few = await app.newAccount()
  const path = `/accounts/${few.account_id}/limits`
  const limits = { requests_per_minute: 5, unverified_credit_trx: null, max_amount: null }
  await ann.call('POST', path, { ...limits, why })
  await until('the other node knows it', async () => {
    const own = second.rooms.clients.limitsOf(few.account_id)
    return own.requestsPerMinute === 5n
  })
  const ask = (node: TestApp) => node.call('GET', '/v1/account', { key: few.api_key })
  const statuses: number[] = []
  for (let nth = 0; nth < 8; nth += 1) statuses.push((await ask(nth % 2 ? second : app)).status)
  expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(5)
  expect(statuses.at(-1)).toBe(429)
  await ann.call('POST', path, { ...limits, requests_per_minute: null, why })
  expect(app.rooms.clients.limitsOf(few.account_id)).toEqual({})
})

test('own limits: unverified credit of 0 waits for the final block', async () => {
  const careful = await app.newAccount()
  const limits = { requests_per_minute: null, unverified_credit_trx: '0', max_amount: null }
  await ann.call('POST', `/accounts/${careful.account_id}/limits`, { ...limits, why })
  const from = toBase58(app.devnet.chain.network.funded[3]!.address)
  const body = { from, to: careful.deposit_address, amount_sun: 5_000_000 }
  await app.call('POST', '/sandbox/chain/transfer', { body })
  app.devnet.chain.mine()
  await app.scanned()
  const deposits = async () =>
    (await app.call('GET', '/v1/deposits', { key: careful.api_key })).body.deposits
  await until('it is seen', async () => (await deposits()).length > 0)
  expect(await deposits()).toMatchObject([{ credited_at: null }])
  for (let block = 0; block <= SOLID_LAG; block += 1) app.devnet.chain.mine()
  await until('it is final', async () => (await deposits())[0].credited_at)
})

test('a note is for operators alone: nothing that the client reads has it', async () => {
  const canary = `canary-${client.account_id.slice(0, 8)}`
  const written = await ann.call('POST', at('/notes'), { text: `${canary}: pays late` })
  expect(written.body.notes).toMatchObject([
    { text: `${canary}: pays late`, who: 'ann@example.com', at: expect.any(String) },
  ])
  expect((await ann.call('GET', at('/notes'))).body).toEqual(written.body)
  const account = { key: client.api_key }
  const texts = await Promise.all(
    routes
      .filter(({ method, path }) => method === 'GET' && !path.includes('{'))
      .map(async ({ path }) => (await app.call('GET', `/v1${path}`, account)).text),
  )
  expect(texts.length).toBeGreaterThan(10)
  expect(texts.join('\n')).not.toContain(canary)
  const asClient = await app.call('GET', `/operator/v1${at('/notes')}`, account)
  expect([asClient.status, asClient.text.includes(canary)]).toEqual([401, false])
  const nobody = '/accounts/01980000-0000-7000-8000-000000000000/notes'
  expect((await ann.call('POST', nobody, { text: 'x' })).status).toBe(404)
  // The log of actions says that there is a note, and not what it says.
  expect(JSON.stringify(await lastAction())).not.toContain(canary)
})
