import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { blockJson, epoch, startTestNode, type TestNode, testClient } from './testNode.ts'

let first: TestNode
let second: TestNode

beforeEach(async () => {
  first = await startTestNode()
  second = await startTestNode()
  for (const node of [first, second]) {
    node.answer('wallet/getblock', { json: blockJson(100) })
    node.answer('wallet/getnowblock', { json: blockJson(100) })
    node.answer('wallet/getaccount', { json: { address } })
  }
  second.answer('wallet/getaccount', { json: { address, balance: 2 } })
})

afterEach(() => Promise.all([first.close(), second.close()]))

const address = `41${'ab'.repeat(20)}`
const paths = (node: TestNode) => node.asked.map(({ path }) => path)
const twoNodes = () => testClient([first.url, second.url])
const stale = { json: blockJson(90, epoch - 30_001) }

describe('fail-over', () => {
  test.each([
    { drop: true },
    { status: 500 },
    { status: 429 },
    { text: 'not json' },
    { json: { Error: 'class java.lang.Exception : x' } },
    { json: { address: 1 } },
  ] as const)('%j: the next node is asked', async (answer) => {
    first.answer('wallet/getaccount', answer)
    const { client, troubles } = twoNodes()
    expect((await client.getAccount(address))?.balance).toBe(2n)
    expect(troubles).toHaveLength(1)
  })

  test('a node that never answers costs only its share of the deadline', async () => {
    const { client, world, troubles } = twoNodes()
    first.answer('wallet/getaccount', { hang: world.expireTimeouts })
    expect((await client.getAccount(address))?.balance).toBe(2n)
    expect(troubles.map(({ kind }) => kind)).toEqual(['timeout'])
    expect(world.now()).toBe(epoch + 5_000)
  })

  test('when no node answers, the call ends with its deadline', async () => {
    const { client, world } = twoNodes()
    first.answer('wallet/getaccount', { hang: world.expireTimeouts })
    second.answer('wallet/getaccount', { hang: world.expireTimeouts })
    await expect(client.getAccount(address)).rejects.toMatchObject({ kind: 'timeout' })
    expect(world.now()).toBe(epoch + 10_000)
  })

  test('the first node is preferred while it is well', async () => {
    const { client } = twoNodes()
    expect((await client.getAccount(address))?.balance).toBe(0n)
    expect(second.asked).toEqual([])
  })
})

describe('back-off', () => {
  test('a limited node rests longer each time, at most a minute, and is tried again after', async () => {
    const { client, world } = testClient([first.url])
    first.answer('wallet/getaccount', { status: 429 })
    const rests: number[] = []
    for (let i = 0; i < 8; i++) {
      await expect(client.getAccount(address)).rejects.toMatchObject({ kind: 'rate_limited' })
      rests.push(client.nodes()[0]!.restsUntil - world.now())
      world.pass(60_000)
    }
    expect(rests).toEqual([1, 2, 4, 8, 16, 32, 60, 60].map((s) => s * 1000))
    first.answer('wallet/getaccount', { json: { address } })
    expect((await client.getAccount(address))?.balance).toBe(0n)
    first.answer('wallet/getaccount', { status: 429 })
    await expect(client.getAccount(address)).rejects.toMatchObject({ kind: 'rate_limited' })
    expect(client.nodes()[0]!.restsUntil - world.now()).toBe(1000)
  })

  test.each([
    ['30', 30_000],
    [new Date(epoch + 45_000).toUTCString(), 45_000],
    ['31536000', 600_000],
    ['nonsense', 1000],
  ])('Retry-After %s rests a node %i ms', async (header, ms) => {
    first.answer('wallet/getaccount', { status: 503, headers: { 'retry-after': header } })
    const { client, world } = twoNodes()
    await client.getAccount(address)
    expect(client.nodes()[0]?.restsUntil).toBe(world.now() + ms)
    first.asked.length = 0
    await client.getAccount(address)
    expect(first.asked).toEqual([])
  })

  test('when every node rests, a call waits for the first to wake if that is in time', async () => {
    const { client, world } = testClient([first.url])
    first.answer('wallet/getaccount', { status: 429, headers: { 'retry-after': '3' } })
    await expect(client.getAccount(address)).rejects.toMatchObject({ kind: 'rate_limited' })
    first.answer('wallet/getaccount', { json: { address } })
    expect((await client.getAccount(address))?.balance).toBe(0n)
    expect(world.waits).toEqual([3000])
  })

  test('and fails at once, asking nobody, if it is not', async () => {
    const { client, world } = testClient([first.url])
    first.answer('wallet/getaccount', { status: 429, headers: { 'retry-after': '30' } })
    await expect(client.getAccount(address)).rejects.toMatchObject({ kind: 'rate_limited' })
    first.asked.length = 0
    await expect(client.getAccount(address)).rejects.toMatchObject({ retryAfterMs: 30_000 })
    expect([first.asked, world.waits]).toEqual([[], []])
  })
})

describe('a stale node', () => {
  test('is passed over when another is fresh, and reported', async () => {
    first.answer('wallet/getnowblock', stale)
    first.answer('wallet/getblock', stale)
    const { client, troubles } = twoNodes()
    expect((await client.getNowBlock()).number).toBe(100)
    expect((await client.getAccount(address))?.balance).toBe(2n)
    expect(troubles.map(({ kind, node }) => [kind, node])).toEqual([
      ['stale', new URL(first.url).host],
      ['stale', new URL(first.url).host],
    ])
    expect(client.nodes().map((node) => node.stale)).toEqual([true, false])
  })

  test('at exactly the allowed age is not stale', async () => {
    first.answer('wallet/getnowblock', { json: blockJson(95, epoch - 30_000) })
    expect((await twoNodes().client.getNowBlock()).number).toBe(95)
  })

  test('is believed about what exists when nobody is fresher; the freshest is asked', async () => {
    const older = { json: blockJson(80, epoch - 60_000) }
    first.answer('wallet/getnowblock', older)
    first.answer('wallet/getblock', older)
    second.answer('wallet/getnowblock', stale)
    second.answer('wallet/getblock', stale)
    const { client, troubles } = twoNodes()
    expect((await client.getNowBlock()).number).toBe(90)
    expect((await client.getAccount(address))?.balance).toBe(2n)
    expect(troubles.every(({ kind }) => kind === 'stale')).toBe(true)
  })

  test.each([1, 2])('is not believed about absence (%i nodes)', async (count) => {
    for (const node of [first, second]) {
      node.answer('wallet/getblock', stale)
      node.answer('wallet/getaccount', { json: {} })
    }
    const { client } = testClient([first.url, second.url].slice(0, count))
    await expect(client.getAccount(address)).rejects.toMatchObject({ kind: 'stale' })
  })

  test('that is the only one still shows its head, and is reported', async () => {
    first.answer('wallet/getnowblock', stale)
    const { client, troubles } = testClient([first.url])
    expect((await client.getNowBlock()).number).toBe(90)
    expect(troubles.map(({ kind }) => kind)).toEqual(['stale'])
    expect(first.asked).toHaveLength(1)
  })

  test('is asked again after it caught up', async () => {
    first.answer('wallet/getblock', stale)
    const { client, world } = twoNodes()
    expect((await client.getAccount(address))?.balance).toBe(2n)
    world.pass(10_000)
    first.answer('wallet/getblock', { json: blockJson(104, epoch + 9_000) })
    expect((await client.getAccount(address))?.balance).toBe(0n)
  })
})

describe('the price of freshness', () => {
  test('one node: only absence asks for the head, and the question is then put again', async () => {
    const { client } = testClient([first.url])
    await client.getAccount(address)
    expect(paths(first)).toEqual(['wallet/getaccount'])
    first.answer('wallet/getaccount', { json: {} })
    await client.getAccount(address)
    expect(paths(first).slice(1)).toEqual([
      'wallet/getaccount',
      'wallet/getblock',
      'wallet/getaccount',
    ])
    await client.getAccount(address)
    expect(first.asked).toHaveLength(5)
  })

  test('several nodes: the head is asked for once in ten seconds, and polling it is enough', async () => {
    const { client, world } = twoNodes()
    await Promise.all([client.getAccount(address), client.getAccount(address)])
    await client.getAccount(address)
    expect(paths(first).filter((path) => path === 'wallet/getblock')).toHaveLength(1)
    first.answer('wallet/getnowblock', { json: blockJson(103, epoch + 9_000) })
    world.pass(10_000)
    await client.getNowBlock()
    await client.getAccount(address)
    expect(paths(first).filter((path) => path === 'wallet/getblock')).toHaveLength(1)
  })
})
