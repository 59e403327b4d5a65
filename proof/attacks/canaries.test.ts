// Proves: http, identity, webhooks.
import { expect, test } from 'vitest'
import { createLog } from '../../service/kernel/index.ts'
import { openTestApp, type TestApp } from '../testing/app.ts'
import { until } from '../testing/until.ts'
import { signUp } from '../testing/visitor.ts'
import { openDevnet } from '../testing/world.ts'

// Secrets never reach a log, an error body, a metric, an event or a statement's statistics.

test('keys and passwords appear nowhere but in the answer that shows them once', async () => {
  let written = ''
  const write = (line: string) => {
    written += line
  }
  const log = createLog('debug', { write })
  // A URL that answers nonsense: the token is in every URL that fails.
  const devnet = await openDevnet()
  const token = '7654321:canary-telegram-token'
  const telegram = { url: `${devnet.url}/nowhere`, token }
  const app = await openTestApp({ log, devnet, chat: { telegram } })
  const { account_id, api_key } = await app.newAccount({ deposit_trx: '5' })
  app.devnet.chain.mine()
  const bodies: string[] = []
  const call = async (method: string, path: string, options = {}) => {
    bodies.push((await app.call(method, path, options)).text)
  }
  const secrets = await signingSecrets(app, api_key)
  const { code } = (await (await signUp(app.url)).call('POST', '/chats/code')).body
  await until('updates are not received', () => written.includes('chat_updates_not_received'))
  for (const path of ['/v1/webhooks', `/v1/webhooks/${secrets.webhook}/deliveries`]) {
    await call('GET', path, { key: api_key })
  }
  await call('GET', '/v1/account', { key: api_key })
  await call('GET', `/v1/${api_key}`, { key: api_key })
  await call('GET', `/v1/order/${api_key}`, { key: api_key })
  await call('GET', `/v1/transactions?cursor=${api_key}`, { key: api_key })
  await call('POST', '/v1/buy', {
    key: api_key,
    body: { receiver_address: api_key, resource_amount: 65_000 },
  })
  await call('POST', '/v1/buy', { key: api_key, body: `{"receiver_address":"${api_key}"` })
  await call('POST', '/v1/buy', {
    key: api_key,
    body: { receiver_address: 'T', resource_amount: 65_000 },
    headers: { 'idempotency-key': api_key },
  })
  await call('GET', '/v1/account', { key: `${api_key}x` })
  // Cause a fault of our own: rename the ledger's table.
  await app.database.sql(`alter table ledger.account rename to account_gone`)
  await call('GET', '/v1/account', { key: api_key })
  await app.database.sql(`alter table ledger.account_gone rename to account`)
  await call('GET', '/metrics')
  await call('GET', '/readyz')
  await call('GET', '/openapi.json')

  expect(written).toContain('request_failed')
  const canaries = [api_key, token, code, ...secrets.all]
  for (const canary of canaries) {
    expect(bodies.join('\n')).not.toContain(canary)
    expect(written).not.toContain(canary)
    expect(secrets.received).not.toContain(canary)
  }
  const columns = await app.database.sql<{ table: string; column: string }>(`
    select format('%I.%I', table_schema, table_name) as table, quote_ident(column_name) as column
      from information_schema.columns
     where table_schema not in ('pg_catalog', 'information_schema') and data_type in ('text', 'json', 'jsonb', 'bytea')`)
  for (const { table, column } of columns) {
    for (const canary of canaries) {
      const found = await app.database.sql(
        `select 1 from ${table} where ${column}::text like any (array['%' || $1 || '%', '%' || encode(convert_to($1, 'UTF8'), 'hex') || '%']) limit 1`,
        [canary],
      )
      expect(found, `${table}.${column}`).toEqual([])
    }
  }
  const activity = await app.database.sql(
    `select query from pg_stat_activity where query like $1`,
    [`%${api_key.slice(4)}%`],
  )
  expect(activity).toEqual([])
  expect(account_id).toBeTruthy()
  await app.close()
  await devnet.close()
})

/**
 * Uses, rotates and sends with signing secrets; returns them, and all that a receiver got signed
 * with them.
 */
async function signingSecrets(app: TestApp, key: string) {
  await until('the credit', async () => {
    const { body } = await app.call('GET', '/v1/account', { key })
    return body.balance_trx === '5'
  })
  const sink = (await app.call('POST', '/sandbox/webhook-sink')).body
  const body = { name: 'canary', url: sink.url }
  const made = (await app.call('POST', '/v1/webhooks', { key, body })).body
  const path = `/v1/webhooks/${made.id}`
  const rotated = (await app.call('POST', `${path}/rotate-secret`, { key })).body
  expect((await app.call('POST', `${path}/test`, { key })).status).toBe(200)
  const received = (await app.call('GET', `/sandbox/webhook-sink/${sink.id}`)).text
  const all = [made.signing_secret, rotated.signing_secret] as string[]
  return { webhook: made.id as string, all, received }
}
