// Proves: identity, operator.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestApp, type TestAccount, type TestApp } from '../testing/app.ts'
import { openOperator } from '../testing/operator.ts'
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
