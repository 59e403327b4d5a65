// Proves: orders, webhooks.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openSandboxFolder, type SandboxFolder } from '../testing/sandboxFolder.ts'

const EXAMPLE = join(import.meta.dirname, '../../docs/examples/first-order.ts')
const GUIDE = join(import.meta.dirname, '../../docs/guide/start.md')

let sandbox: SandboxFolder
beforeAll(async () => {
  sandbox = await openSandboxFolder()
})
afterAll(() => sandbox.close())

test('the first order buys Energy and verifies its webhook, as it stands', async () => {
  const { code, out, err } = await sandbox.run(process.execPath, [EXAMPLE])
  expect([code, err]).toEqual([0, ''])
  const [, id] = /^Bought: \{\n {2}order_id: '(\S{36})'/m.exec(out) ?? []
  expect(out).toMatch(/^Verified: \{$/m)
  expect(out).toContain("type: 'order.status_changed'")
  expect(out).toContain("status: 'COMPLETED'")
  expect(out).toContain(`order_id: '${id}'`)
  expect(out).toContain(`receiver_address: '${sandbox.file.funded_keys[0]!.address}'`)
  const key = sandbox.file.accounts[0]!.api_key
  const order = await sandbox.market.call('GET', `/v1/order/${id}`, { key })
  expect(order.body.status).toBe('COMPLETED')
  const hooks = await sandbox.market.call('GET', '/v1/webhooks', { key })
  expect(hooks.body.webhooks).toEqual([])
})

test('that takes fifteen lines, and the guide shows them', () => {
  const [, program = ''] = /^```ts\n([\s\S]*?)^```$/m.exec(readFileSync(GUIDE, 'utf8')) ?? []
  const lines = program.split('\n').filter((line) => line.trim() && !line.startsWith('//'))
  expect(lines).toHaveLength(15)
  // The file begins with two lines of comment.
  expect(readFileSync(EXAMPLE, 'utf8').replace(/^(\/\/ .*\n){2}/, '')).toBe(program)
})
