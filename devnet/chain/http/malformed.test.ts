import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Devnet, startDevnet } from '../devnet.ts'
import { fundedKeys } from '../networkKeys.ts'
import { controlRoutes } from './control.ts'
import { routes } from './server.ts'

// Every endpoint gets malformed requests: it must answer as a node would, with status 200 (405 where a node
// has no GET), and the process must keep running.

let devnet: Devnet

beforeAll(async () => {
  devnet = await startDevnet({ blockMs: 0 })
})
afterAll(() => devnet.close())

const address = fundedKeys[0]!.address
const names = [
  'address',
  'value',
  'owner_address',
  'to_address',
  'receiver_address',
  'contract_address',
  'account_address',
  'fromAddress',
  'toAddress',
  'num',
  'startNum',
  'endNum',
  'type',
  'timestamp',
  'amount',
  'balance',
  'frozen_balance',
  'unfreeze_balance',
  'resource',
  'lock_period',
  'data',
  'parameter',
  'function_selector',
  'call_value',
  'fee_limit',
  'transaction',
  'raw_data',
  'signature',
  'id_or_num',
  'Permission_id',
  'extra_data',
  'owner',
  'actives',
  'visible',
]
const wrong: unknown[] = [
  null,
  true,
  -1,
  1.5,
  1e300,
  '',
  'zz',
  '0x',
  'T'.repeat(34),
  `41${'f'.repeat(39)}`,
  address,
  '99999999999999999999',
  [],
  [null],
  {},
  { contract: [{}] },
  { contract: [{ type: 'TransferContract', parameter: { value: {} } }] },
]

const bodies = [
  '',
  ' ',
  'null',
  '5',
  '"text"',
  '[]',
  '{',
  '{"a":}',
  '{}',
  '\u0000',
  '{"visible":true}',
  ...wrong.map((value) => JSON.stringify(Object.fromEntries(names.map((name) => [name, value])))),
  ...wrong.map((value) => `{"visible":true,${JSON.stringify({ address: value }).slice(1)}`),
  '{"num":123456789012345678901234567890,"address":12345678901234567890}',
  `{"owner_address":"${address}","amount":9223372036854775808}`,
]

async function send(path: string, init: RequestInit, status = 200): Promise<string> {
  const response = await fetch(devnet.url + path, init)
  const text = await response.text()
  expect([path, init.body, response.status]).toEqual([path, init.body, status])
  return text
}

test.each([...routes.keys()])('%s', async (path) => {
  for (const body of bodies) {
    const text = await send(path, { method: 'POST', body })
    const json = JSON.parse(text) as Record<string, unknown>
    const { Error: error } = json
    if (error !== undefined) {
      expect(error).toMatch(/^class (org|com|java)\.[\w.$]+ : |^(id|num) must be /)
      // A fault of our own would be reported this way; there must be none.
      expect([body, error]).not.toEqual([body, expect.stringContaining('RuntimeException')])
    }
  }
  const { methods, emptyGet } = routes.get(path)!.endpoint
  const status = methods === 'GET POST' || emptyGet ? 200 : 405
  for (const query of ['', '?address=zz', '?num=abc', '?value=%00', '?visible=true&address=x']) {
    const text = await send(path + query, { method: 'GET' }, status)
    expect(text).not.toContain('RuntimeException')
  }
})

test('the control endpoints answer nonsense with 400 and a sentence', async () => {
  const statuses = new Set<number>()
  for (const route of Object.keys(controlRoutes)) {
    const [method, path] = route.split(' ') as [string, string]
    if (method === 'GET' || path === '/control/reset') continue
    for (const body of [...bodies, '{"blocks":-1}', '{"depth":"x"}', '{"http_status":99}']) {
      const response = await fetch(devnet.url + path, { method, body })
      statuses.add(response.status)
      if (response.status === 400) expect(await response.json()).toHaveProperty('error')
      else expect(response.status).toBe(200)
    }
  }
  expect(statuses).toEqual(new Set([200, 400]))
})

test('an oversized body is 413, an unknown path 404', async () => {
  const huge = await fetch(`${devnet.url}/wallet/getaccount`, {
    method: 'POST',
    body: 'x'.repeat(5 * 1024 * 1024),
  })
  expect(huge.status).toBe(413)
  expect((await fetch(`${devnet.url}/wallet/nosuchthing`)).status).toBe(404)
  expect((await fetch(`${devnet.url}/wallet/getnowblock`)).status).toBe(200)
})
