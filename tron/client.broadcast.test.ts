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

test.each(['Dup transaction.', 'Transaction already exists.'])(
  'accepted before: "%s"',
  async (message) => {
    node.answer(path, { json: { result: false, code: 'DUP_TRANSACTION_ERROR', message } })
    const { client, troubles } = testClient([node.url])
    expect(await client.broadcast(bytes)).toEqual({ accepted: true })
    expect(troubles).toEqual([])
  },
)

test.each([
  ['Tapos check error.', 'Tapos check error.'],
  [Buffer.from('Tapos check error.').toString('hex'), 'Tapos check error.'],
  [undefined, ''],
])('refused: message %s is read as text', async (message, text) => {
  node.answer(path, { json: { result: false, code: 'TAPOS_ERROR', message } })
  const { client } = testClient([node.url])
  expect(await client.broadcast(bytes)).toEqual({
    accepted: false,
    code: 'TAPOS_ERROR',
    message: text,
  })
})

test.each([
  'SERVER_BUSY',
  'NO_CONNECTION',
  'NOT_ENOUGH_EFFECTIVE_CONNECTION',
  'BLOCK_UNSOLIDIFIED',
])('%s is trouble with the node: the next bytes go to another', async (code) => {
  node.answer(path, { json: { result: false, code, message: 'x' } })
  const { client } = testClient([node.url, other.url])
  const host = new URL(node.url).host
  expect(await client.broadcast(bytes)).toMatchObject({
    accepted: 'unknown',
    trouble: { kind: 'unreachable', node: host, message: expect.stringContaining(code) },
  })
  expect(await client.broadcast(bytes)).toEqual({ accepted: true })
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
