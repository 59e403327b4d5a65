import { createNodeClient, type NodeClient, toBase58 } from '@ergon/tron'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDevnet } from '../../../proof/testing/world.ts'
import { createDevnetControl } from '../../sandbox-api/index.ts'
import { createCurrentRead } from './currentRead.ts'

const UNREAD_MAX = 1_000
let devnet: Awaited<ReturnType<typeof openDevnet>>
let node: NodeClient
beforeAll(async () => {
  devnet = await openDevnet()
  node = createNodeClient({ urls: [devnet.url], timeoutMs: 5_000 })
})
afterAll(() => devnet.close())

const mine = (blocks: number) => {
  for (let block = 0; block < blocks; block++) devnet.chain.mine()
}

/** Whether an answer about the address is current when so many blocks are not read. */
async function isCurrent(address: string, unread: number): Promise<boolean> {
  const [number, time] = [devnet.chain.head.number - unread, new Date()]
  const progress = async () => ({ number, id: '', time, solidNumber: number, solidTime: time })
  return (await createCurrentRead({ node, progress })(address, async () => 0)).isCurrent
}

test('at any height of the chain an answer is current unless a call of the address is unread', async () => {
  mine(UNREAD_MAX + 1)
  const [caller, other] = devnet.chain.network.funded.map(({ address }) => address)
  await createDevnetControl(devnet.url).usdt(toBase58(caller!), toBase58(other!), 1n)
  mine(150)
  expect(await isCurrent(caller!, 149)).toBe(true)
  expect(await isCurrent(caller!, 150)).toBe(false)
  expect(await isCurrent(other!, 150)).toBe(true)
})

test('with more than a thousand unread blocks no answer is current', async () => {
  mine(UNREAD_MAX)
  const [address] = devnet.chain.network.funded.map((funded) => funded.address)
  expect(await isCurrent(address!, UNREAD_MAX)).toBe(true)
  expect(await isCurrent(address!, UNREAD_MAX + 1)).toBe(false)
})
