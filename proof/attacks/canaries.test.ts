import { expect, test } from 'vitest'
import { createLog } from '../../service/kernel/index.ts'
import { openTestHouse } from '../testing/house.ts'

// Secrets never reach a log, an error body, a metric, an event or a statement's statistics.

test('keys and passwords appear nowhere but in the answer that shows them once', async () => {
  let written = ''
  const write = (line: string) => {
    written += line
  }
  const log = createLog('debug', { write })
  const house = await openTestHouse({ log })
  const { account_id, api_key } = await house.newAccount({ deposit_trx: '5' })
  house.devnet.chain.mine()
  const bodies: string[] = []
  const call = async (method: string, path: string, options = {}) => {
    bodies.push((await house.call(method, path, options)).text)
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
  // A fault of our own: the account's ledger row is taken away under it.
  await house.database.sql(`alter table ledger.account rename to account_gone`)
  await call('GET', '/v1/account', { key: api_key })
  await house.database.sql(`alter table ledger.account_gone rename to account`)
  await call('GET', '/metrics')
  await call('GET', '/readyz')
  await call('GET', '/openapi.json')

  expect(written).toContain('request_failed')
  expect(bodies.join('\n')).not.toContain(api_key)
  expect(written).not.toContain(api_key)
  const columns = await house.database.sql<{ table: string; column: string }>(`
    select table_schema || '.' || table_name as table, column_name as column
      from information_schema.columns
     where table_schema not in ('pg_catalog', 'information_schema') and data_type in ('text', 'json', 'jsonb')`)
  for (const { table, column } of columns) {
    const found = await house.database.sql(
      `select 1 from ${table} where ${column}::text like '%' || $1 || '%' limit 1`,
      [api_key],
    )
    expect(found, `${table}.${column}`).toEqual([])
  }
  const activity = await house.database.sql(
    `select query from pg_stat_activity where query like $1`,
    [`%${api_key.slice(4)}%`],
  )
  expect(activity).toEqual([])
  expect(account_id).toBeTruthy()
  await house.close()
})
