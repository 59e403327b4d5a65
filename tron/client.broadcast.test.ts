import { afterEach, beforeEach, expect, test } from 'vitest'
import { startTestNode, type TestNode, testClient } from './testNode.ts'

let node: TestNode
let other: TestNode

beforeEach(async () => {
  node = await startTestNode()
  other = await startTestNode()
  other.answer(path, { json: { result: true, code: 'SUCCESS' } })
})

afterEach(() => Promise.all([node.close(), other.close()]))

const path = 'wallet/broadcasthex'
const bytes = Uint8Array.of(0x0a, 0x00)

test('accepted: the bytes go out as hex', async () => {
  node.answer(path, { json: { result: true, code: 'SUCCESS', message: '', txid: 'ab' } })
  const { client } = testClient([node.url])
  expect(await client.broadcast(bytes)).toEqual({ accepted: true })
  expect(node.asked[0]?.body).toEqual({ transaction: '0a00' })
})

test.each([
  ['Dup transaction.', 'Dup transaction.'],
  [Buffer.from('Dup transaction.').toString('hex'), 'Dup transaction.'],
  [undefined, ''],
])('refused: message %s is read as text', async (message, text) => {
  node.answer(path, { json: { result: false, code: 'DUP_TRANSACTION_ERROR', message } })
  const { client } = testClient([node.url])
  expect(await client.broadcast(bytes)).toEqual({
    accepted: false,
    code: 'DUP_TRANSACTION_ERROR',
    message: text,
  })
})

test.each([
  [{ json: {} }, 'malformed'],
  [{ text: 'oops' }, 'malformed'],
  [{ status: 500 }, 'node_error'],
  [{ status: 429 }, 'rate_limited'],
  [{ drop: true }, 'unreachable'],
  [
    { json: { Error: 'class java.lang.IllegalAccessException : lack of computing resources' } },
    'rate_limited',
  ],
] as const)('%j leaves the outcome unknown: %s', async (answer, kind) => {
  node.answer(path, answer)
  const { client } = testClient([node.url, other.url])
  expect(await client.broadcast(bytes)).toMatchObject({ accepted: 'unknown', trouble: { kind } })
  expect(node.asked).toHaveLength(1)
  expect(other.asked).toEqual([])
})

test('no answer in time is unknown, not a failure, and is sent to no other node', async () => {
  const { client, world } = testClient([node.url, other.url])
  node.answer(path, { hang: world.expireTimeouts })
  expect(await client.broadcast(bytes)).toMatchObject({
    accepted: 'unknown',
    trouble: { kind: 'timeout' },
  })
  expect(other.asked).toEqual([])
  // When the caller sends it again, it goes to the other node.
  expect(await client.broadcast(bytes)).toEqual({ accepted: true })
  expect(other.asked).toHaveLength(1)
})
