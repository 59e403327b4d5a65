// Proves: identity, account, orders.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Market, openMarket } from '../testing/market.ts'

let first: Market
let second: Market
beforeAll(async () => {
  first = await openMarket()
  const { database, devnet } = first
  second = await openMarket({ database, devnet, signer: false, role: 'api' })
})
afterAll(async () => {
  await second.close()
  await first.close()
})

test('a wallet that is linked or unlinked on one node shows at once on every node', async () => {
  const client = await first.fundedAccount('100')
  const wallet = first.receivers[4]!
  // Several rounds: a node that polls for changes twice a second may be right once by chance.
  for (const linked of [wallet, '', wallet, '']) {
    // Both nodes have answered for the account before the change.
    for (const node of [first, second]) await node.get(client, '/account')
    expect(await first.rooms.accounts.linkWallet(client.account_id, linked)).toBe(true)
    for (const node of [second, first]) {
      expect((await node.get(client, '/account')).body).toMatchObject({ wallet_address: linked })
      const { body } = await node.buy(client)
      const order = await node.get(client, `/order/${body.order_id}`)
      expect(order.body).toMatchObject({ buyer_address: linked })
    }
  }
})
