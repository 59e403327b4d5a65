import { afterEach, expect, test } from 'vitest'
import { blockJson, startTestNode, type TestNode, testClient } from './testNode.ts'

// Where a node serves /walletsolidity: gateways at the same address, java-tron on the next port.

const open: TestNode[] = []
afterEach(() => Promise.all(open.splice(0).map((node) => node.close())))

const address = `41${'ab'.repeat(20)}`
const paths = (node: TestNode) => node.asked.map(({ path }) => path)

async function started(port = 0): Promise<TestNode> {
  const node = await startTestNode(port)
  open.push(node)
  return node
}

/** Both ports of a full node; the next port may be taken, then another one is tried. */
async function pair(genesis = 0): Promise<{ full: TestNode; solid: TestNode }> {
  for (let tries = 0; tries < 50; tries += 1) {
    const full = await started()
    const solid = await started(Number(new URL(full.url).port) + 1).catch(() => undefined)
    if (!solid) continue
    full.otherwise({ status: 405 })
    solid.otherwise({ status: 405 })
    full.answer('wallet/getblockbynum', { json: blockJson(0) })
    full.answer('wallet/getblock', { json: blockJson(100) })
    full.answer('wallet/getaccount', { json: { address } })
    solid.answer('walletsolidity/getblockbynum', { json: blockJson(genesis) })
    solid.answer('walletsolidity/getnowblock', { json: blockJson(81) })
    return { full, solid }
  }
  throw new Error('no two free ports beside each other')
}

test('a gateway serves it at the same address, and nothing else is asked', async () => {
  const gateway = await started()
  gateway.answer('walletsolidity/getnowblock', { json: blockJson(81) })
  const { client } = testClient([gateway.url], { apiKey: 'key-1' })
  expect((await client.getSolidBlock()).number).toBe(81)
  expect((await client.getSolidBlock()).number).toBe(81)
  expect(paths(gateway)).toEqual(['walletsolidity/getnowblock', 'walletsolidity/getnowblock'])
})

test('a full node serves it on the next port, which is looked for once', async () => {
  const { full, solid } = await pair()
  const { client, troubles } = testClient([full.url])
  expect((await client.getSolidBlock()).number).toBe(81)
  expect((await client.getSolidBlock()).number).toBe(81)
  expect(paths(full)).toEqual(['walletsolidity/getnowblock', 'wallet/getblockbynum'])
  expect(paths(solid)).toEqual([
    'walletsolidity/getblockbynum',
    'walletsolidity/getnowblock',
    'walletsolidity/getnowblock',
  ])
  expect(troubles).toEqual([])
})

test('an address that was named is asked at once', async () => {
  const { full } = await pair()
  const { solid } = await pair()
  const { client } = testClient([full.url], { solidityUrls: [`${solid.url}/`] })
  expect((await client.getSolidBlock()).number).toBe(81)
  expect(paths(full)).toEqual(['wallet/getblockbynum'])
  expect(() => testClient([full.url, full.url], { solidityUrls: [solid.url] })).toThrow(RangeError)
})

test("the next port is not believed if it is another network's", async () => {
  const { full } = await pair(1)
  const { client } = testClient([full.url])
  await expect(client.getSolidBlock()).rejects.toThrow(/another network; TRON_SOLIDITY_URL/)
})

test('a node without it says so, and goes on answering the rest', async () => {
  const full = await started()
  full.otherwise({ status: 405 })
  full.answer('wallet/getblockbynum', { json: blockJson(0) })
  full.answer('wallet/getaccount', { json: { address } })
  const { client } = testClient([full.url])
  const trouble = { kind: 'not_served', message: expect.stringContaining('TRON_SOLIDITY_URL') }
  await expect(client.getSolidBlock()).rejects.toMatchObject(trouble)
  expect((await client.getAccount(address))?.balance).toBe(0n)
})

test('nodes of different kinds stand in for each other', async () => {
  const gateway = await started()
  gateway.answer('wallet/getblock', { json: blockJson(100) })
  gateway.answer('walletsolidity/getnowblock', { json: blockJson(82) })
  gateway.answer('wallet/getaccount', { status: 500 })
  const { full, solid } = await pair()
  const { client } = testClient([gateway.url, full.url])
  expect((await client.getSolidBlock()).number).toBe(82)
  expect((await client.getAccount(address))?.balance).toBe(0n)
  gateway.answer('walletsolidity/getnowblock', { drop: true })
  expect((await client.getSolidBlock()).number).toBe(81)
  expect(paths(solid)).toContain('walletsolidity/getnowblock')
})
